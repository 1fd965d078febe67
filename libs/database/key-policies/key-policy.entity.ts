import type { Tier } from '@app/domain/accounts/tiers';
import type { KeyPolicyRules } from '@app/domain/keys/key-policy';
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

  @Column('timestamptz')
  updatedAt: Date;
}
