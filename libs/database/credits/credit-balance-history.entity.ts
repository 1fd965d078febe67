import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** Credits of one account or key in a billing period that has ended. */
@Entity('credit_balance_history')
export class CreditBalanceHistory {
  @PrimaryColumn('uuid')
  subjectId: string;

  @PrimaryColumn('timestamptz')
  periodStart: Date;

  @Column('uuid')
  accountId: string;

  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  creditLimit: number | null;

  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  granted: number;

  @Column('bigint', { transformer: bigintAsNumber })
  used: number;

  /** What charges took of prepaid grants: a part of `granted`. */
  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  prepaidUsed: number;
}
