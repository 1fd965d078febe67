import type { BudgetSubjectKind, BudgetWindow } from '@app/domain/credits/budget';
import { Column, Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** Credits that some charges of an account may use in each window of time. Only `libs/credits` changes one. */
@Entity('budget')
@Index('budget_number_idx', ['number'], { unique: true })
@Unique('budget_account_name_key', ['accountId', 'name'])
export class Budget {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  accountId: string;

  /** One of a kind in the account. */
  @Column('text')
  name: string;

  @Column('text')
  subject: BudgetSubjectKind;

  /** For a key. */
  @Column('uuid', { nullable: true })
  keyId: string | null;

  /** For the keys that have a tag. */
  @Column('text', { nullable: true })
  tag: string | null;

  /** Credits for each window. */
  @Column('bigint', { transformer: bigintAsNumber })
  amount: number;

  @Column('text')
  windowKind: BudgetWindow;

  /** IANA name of the zone by whose clocks days, weeks and months begin. */
  @Column('text')
  timeZone: string;

  /** A window that has ended stays here until `roll_over_budgets` moves it on. */
  @Column('timestamptz')
  windowStart: Date;

  @Column('timestamptz')
  windowEnd: Date;

  /** With what is held. */
  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  used: number;

  @Column('int', { default: 1 })
  version: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Stands for the budget in the ledger. */
  @Column('int')
  @Generated('increment')
  number: number;

  /** The only operations whose charges count; null for all. */
  @Column('text', { array: true, nullable: true })
  operations: string[] | null;
}
