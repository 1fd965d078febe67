import type { Tier } from '@app/domain/tiers';
import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

export type AccountStatus = 'active' | 'suspended' | 'closed';

/** A customer. Its credits are a row of `credit_balance` with the same id. */
@Entity('account')
export class Account {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  tier: Tier;

  @Column('text', { default: 'active' })
  status: AccountStatus;

  @Column('int')
  voiceLimit: number;

  @Column('int')
  concurrencyLimit: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
