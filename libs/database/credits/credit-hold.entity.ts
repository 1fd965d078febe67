import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** Credits that are set aside for work that has not ended. Only `libs/credits` moves them. */
@Entity('credit_hold')
@Index('credit_hold_deadline_idx', ['deadline'])
@Index('credit_hold_account_idx', ['accountId', 'deadline'])
export class CreditHold {
  @PrimaryColumn('uuid')
  accountId: string;

  @PrimaryColumn('text')
  requestId: string;

  @Column('uuid')
  keyId: string;

  /** Parent keys of the key for which it counts too. */
  @Column('uuid', { name: 'maker_ids', array: true, nullable: true })
  parentKeyIds: string[] | null;

  /** Numbers of the budgets for which it counts too; null for none. */
  @Column('int', { array: true, nullable: true })
  budgets: number[] | null;

  /** The window of each, by its start. */
  @Column('timestamptz', { array: true, nullable: true })
  budgetWindows: Date[] | null;

  /** The end user that the request named; null for none. */
  @Column('text', { nullable: true })
  endUser: string | null;

  /** Start of the billing period in which the credits were set aside. */
  @Column('timestamptz')
  periodStart: Date;

  @Column('bigint', { transformer: bigintAsNumber })
  amount: number;

  @Column('text')
  operation: string;

  /** From here on the credits are the customer's again, whether or not they have been returned yet. */
  @Column('timestamptz')
  deadline: Date;
}
