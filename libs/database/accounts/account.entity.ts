import type { AccountStatus } from '@app/domain/accounts/account-status';
import type { Tier } from '@app/domain/accounts/tiers';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Versioned } from '../common/versioned';
import { bigintAsNumber } from '../common/bigint.transformer';

/** A customer. Its credits are a row of `credit_balance` with the same id. */
@Entity('account')
@Index('account_name_part_idx', { synchronize: false })
@Index('account_name_idx', { synchronize: false })
@Index('account_external_id_idx', { synchronize: false })
@Index('account_tags_idx', { synchronize: false })
@Index('account_created_idx', ['createdAt', 'id'])
@Index('account_manager_idx', ['managerId'], { where: 'manager_id IS NOT NULL' })
export class Account extends Versioned {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  tier: Tier;

  @Column('text', { default: 'active' })
  status: AccountStatus;

  /** In effect: the override, or else the tier's. */
  @Column('int')
  voiceLimit: number;

  /** In effect: the override, or else the tier's. */
  @Column('int')
  concurrencyLimit: number;

  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  creditLimitOverride: number | null;

  @Column('int', { nullable: true })
  voiceLimitOverride: number | null;

  @Column('int', { nullable: true })
  concurrencyLimitOverride: number | null;

  /** Whether an account manager has switched IP allow-lists on; see `mayPlaceAllowList`. */
  @Column('boolean', { default: false })
  ipAllowListEnabled: boolean;

  @Column('timestamptz', { nullable: true })
  ipAllowListChangedAt: Date | null;

  /** E-mail address of the member of staff who switched it last. */
  @Column('text', { nullable: true })
  ipAllowListChangedBy: string | null;

  @Column('text', { nullable: true })
  ipAllowListReason: string | null;

  /** The list that every request with one of its keys must be on, beside that of the key; null for none. */
  @Column('text', { array: true, nullable: true })
  allowedIps: string[] | null;

  /** For keys that do not say it themselves: whether a holder may disable the key; null for the default. */
  @Column('boolean', { nullable: true })
  thirdPartyDisableAllowed: boolean | null;

  /** When staff noted that the account has the consent of those whose recordings it uploads; null: it may upload none. */
  @Column('timestamptz', { nullable: true })
  recordingsConsentedAt: Date | null;

  /** The member of staff who looks after the account. */
  @Column('uuid', { nullable: true })
  managerId: string | null;

  /** What staff file it under, each once and in order, see `checkTags`. */
  @Column('text', { array: true, default: () => "'{}'" })
  tags: string[];

  /** What another system calls it; null for none. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Since when it is being moved to another cell: nothing of it changes then. */
  @Column('timestamptz', { nullable: true })
  frozenAt: Date | null;
}
