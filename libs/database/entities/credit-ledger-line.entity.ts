import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { bigintAsNumber } from '../bigint.transformer';

/** One movement of credits. Append-only. */
@Entity('credit_ledger')
@Index('credit_ledger_request_idx', ['accountId', 'requestId', 'kind'], { unique: true })
@Index('credit_ledger_account_idx', ['accountId', 'periodStart'])
@Index('credit_ledger_key_idx', ['keyId', 'periodStart'])
export class CreditLedgerLine {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('uuid')
  keyId: string;

  /** Start of the billing period the movement belongs to. */
  @Column('timestamptz')
  periodStart: Date;

  @Column('text')
  kind: 'charge' | 'refund';

  /** Credits used: positive for a charge, negative for a refund. */
  @Column('bigint', { transformer: bigintAsNumber })
  amount: number;

  @Column('text')
  operation: string;

  @Column('text')
  requestId: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
