import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { bigintAsNumber } from '../bigint.transformer';

/** An API key. Not its secret: see ApiKeySecret. Its credits are a row of `credit_balance` with the same id. */
@Entity('api_key')
@Index('api_key_account_idx', ['accountId', 'createdAt'])
export class ApiKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('text')
  name: string;

  /** Permission names, or null for all. */
  @Column('text', { array: true, nullable: true })
  permissions: string[] | null;

  /** Canonical allow-list, or null for any address. */
  @Column('text', { array: true, nullable: true })
  allowedIps: string[] | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('text', { nullable: true })
  disableReason: string | null;

  /** Counts changes. */
  @Column('bigint', { default: 1, transformer: bigintAsNumber })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
