import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/**
 * `charge` and `refund`; `hold` and `release` for work that takes long; `grant` (credits beyond the limit) and `adjustment`
 * (a correction of what was used) by staff.
 */
export const LEDGER_KINDS = ['charge', 'refund', 'hold', 'release', 'grant', 'adjustment'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/**
 * One adjustment of credits of an account and, if the line names one, of a key. Append-only. For each of them and every
 * billing period, what the lines add up to is what was used; grants stand apart, they are what was granted.
 *
 * A view: the table `ledger_line` stores the lines in fewer bytes, partitioned by the month in which their period begins.
 */
@Entity('credit_ledger', { synchronize: false })
export class CreditLedgerLine {
  @PrimaryColumn('bigint')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('uuid', { nullable: true })
  keyId: string | null;

  /** Parent keys of the key for which the line counts too, nearest first; null for none. */
  @Column('uuid', { name: 'maker_ids', array: true, nullable: true })
  parentKeyIds: string[] | null;

  /** Start of the billing period the adjustment belongs to. */
  @Column('timestamptz')
  periodStart: Date;

  @Column('text')
  kind: LedgerKind;

  /** Credits used: positive for a charge, negative for a refund, and for what is granted. */
  @Column('bigint', { transformer: bigintAsNumber })
  amount: number;

  @Column('text')
  operation: string;

  @Column('text')
  requestId: string;

  /** Who did it: the e-mail address of a member of staff, `deadline` for a hold that has ended automatically; else the key. */
  @Column('text', { nullable: true })
  actor: string | null;

  /** Credits that the key could use in the period when the line was admitted; null when no limit was checked. */
  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  keyLimit: number | null;

  /** The same of the account. */
  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  accountLimit: number | null;

  /** The same of each parent key, in their order. */
  @Column('bigint', { name: 'maker_limits', array: true, nullable: true })
  parentKeyLimits: string[] | null;

  /** Numbers of the budgets for which it counts too; null for none. */
  @Column('int', { array: true, nullable: true })
  budgets: number[] | null;

  /** The window of each, by its start. */
  @Column('timestamptz', { array: true, nullable: true })
  budgetWindows: Date[] | null;

  /** What each could use in its window when the line was admitted. */
  @Column('bigint', { array: true, nullable: true })
  budgetLimits: string[] | null;

  /** The end user that the request named; null for none. */
  @Column('text', { nullable: true })
  endUser: string | null;

  @Column('timestamptz')
  createdAt: Date;
}
