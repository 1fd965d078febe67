import type { Tier } from '@app/domain/accounts/tiers';
import type { KeyPolicyRules } from '@app/domain/keys/key-policy';
import { bigintAsNumber } from '../common/bigint.transformer';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a tier or an account demands of its keys: it has one of the two. */
@Entity('key_policy')
@Index('key_policy_once_idx', { synchronize: false })
export class KeyPolicy implements KeyPolicyRules {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { nullable: true })
  tier: Tier | null;

  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('integer', { nullable: true })
  maxLifetimeDays: number | null;

  @Column('integer', { nullable: true })
  rotationAgeDays: number | null;

  @Column('integer', { nullable: true })
  idleWarnDays: number | null;

  @Column('integer', { nullable: true })
  idleDisableDays: number | null;

  @Column('text', { array: true, nullable: true })
  permissions: string[] | null;

  @Column('boolean', { nullable: true })
  allowListRequired: boolean | null;

  @Column('integer', { nullable: true })
  newKeyDays: number | null;

  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  newKeyCreditLimit: number | null;

  @Column('integer', { nullable: true })
  newKeyRequestsPerMinute: number | null;

  @Column('integer', { nullable: true })
  newKeyConcurrencyLimit: number | null;

  @Column('timestamptz')
  updatedAt: Date;
}
