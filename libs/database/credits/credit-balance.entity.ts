import { Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** Credits of one account or key in its current billing period. Only `libs/credits` moves them. */
@Entity('credit_balance')
@Index('credit_balance_account_idx', ['accountId'])
@Index('credit_balance_number_idx', ['number'], { unique: true })
export class CreditBalance {
  /** Id of the account or of the key. */
  @PrimaryColumn('uuid')
  subjectId: string;

  @Column('text')
  subject: 'account' | 'key';

  @Column('uuid')
  accountId: string;

  /** The key that created this one, the key that created that one, and so on; null for none. As `ApiKey.makerIds`. */
  @Column('uuid', { name: 'maker_ids', array: true, nullable: true })
  parentKeyIds: string[] | null;

  /** Credits per billing period, or null for no separate limit. */
  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  creditLimit: number | null;

  /** Credits that staff have granted beyond the limit, for the current period. */
  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  granted: number;

  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  used: number;

  /** Instant from which the monthly periods are counted; a key has its account's. */
  @Column('timestamptz')
  periodAnchor: Date;

  @Column('timestamptz')
  periodStart: Date;

  @Column('timestamptz')
  periodEnd: Date;

  /** Of an account: whether it has budgets. `charge_batch` leaves those to `settle_credits`. */
  @Column('boolean', { default: false })
  hasBudgets: boolean;

  /** Stands for the account or key in the ledger. */
  @Column('int')
  @Generated('increment')
  number: number;

  /** Of an account that is being moved to another cell: nothing is charged then. */
  @Column('boolean', { default: false })
  frozen: boolean;
}
