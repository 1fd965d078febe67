import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel, AlertScope } from '@app/domain/alerts/alert-rule';
import type { Tier } from '@app/domain/accounts/tiers';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Versioned } from '../common/versioned';

/** When an alert is sent, and where. Of the rules of one kind only those of the narrowest scope hold. */
@Entity('alert_rule')
@Index('alert_rule_once_idx', { synchronize: false })
@Index('alert_rule_account_idx', ['accountId'], { where: 'account_id IS NOT NULL' })
export class AlertRule extends Versioned {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  scope: AlertScope;

  /** Of a rule for a tier. */
  @Column('text', { nullable: true })
  tier: Tier | null;

  /** Of a rule for an account or for one of its keys. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  /** Of a rule for a key. */
  @Column('uuid', { nullable: true })
  keyId: string | null;

  @Column('text')
  kind: AlertKind;

  /** In the unit of the kind; null for a kind without one. */
  @Column('double precision', { nullable: true })
  threshold: number | null;

  @Column('text', { array: true })
  channels: AlertChannel[];

  /** A rule that is off notifies of nothing, nor does a wider one in its place. */
  @Column('boolean', { default: true })
  enabled: boolean;
}
