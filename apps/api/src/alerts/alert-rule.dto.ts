import type { NewRule } from '@app/administration/alerts/alert-rules.service';
import type { NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_RULE_CHECKS, type AlertChannel, type AlertScope } from '@app/domain/alerts/alert-rule';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';

const { kind, threshold, channels, enabled } = ALERT_RULE_CHECKS;

class NewRuleFields extends ReasonBody {
  @CheckedField(kind)
  kind: AlertKind;

  /** In the unit of the kind; left out for a kind without one. */
  @CheckedField(threshold, { optional: true })
  threshold?: number | null;

  @CheckedField(channels)
  channels: AlertChannel[];

  @CheckedField(enabled, { optional: true })
  enabled?: boolean;
}

export class CreateAlertRuleBody extends NewRuleFields {
  /** For accounts of this tier only. */
  @EnumField(TIER_NAMES, { optional: true, nullable: true })
  tier?: Tier | null;
}

export class CreateAccountAlertRuleBody extends NewRuleFields {
  /** For this key of the account only. */
  @StringField({ optional: true, nullable: true, max: 36 })
  key_id?: string | null;
}

export class EditAlertRuleBody extends ReasonBody {
  @CheckedField(threshold, { optional: true })
  threshold?: number | null;

  @CheckedField(channels, { optional: true })
  channels?: AlertChannel[];

  @CheckedField(enabled, { optional: true })
  enabled?: boolean;
}

export function toNewRule(body: CreateAlertRuleBody | CreateAccountAlertRuleBody): NewRule {
  const { kind, threshold = null, channels, enabled = true } = body;
  return {
    kind,
    threshold,
    channels,
    enabled,
    ...('tier' in body && { tier: body.tier }),
    ...('key_id' in body && { keyId: body.key_id }),
  };
}

export interface AlertRuleResponse {
  id: string;
  scope: AlertScope;
  tier: Tier | null;
  account_id: string | null;
  key_id: string | null;
  key_name: string | null;
  kind: AlertKind;
  /** In the unit of the kind; null for a kind without one. */
  threshold: number | null;
  channels: AlertChannel[];
  /** A rule that is off notifies of nothing, nor does a wider one in its place. */
  enabled: boolean;
  /** What it has noticed, and of how many accounts. */
  last_30_days: { alerts: number; accounts: number };
  created_at: string;
  updated_at: string;
  version: number;
}

export function toAlertRuleResponse(rule: NamedAlertRule): AlertRuleResponse {
  return {
    id: rule.id,
    scope: rule.scope,
    tier: rule.tier,
    account_id: rule.accountId,
    key_id: rule.keyId,
    key_name: rule.keyName,
    kind: rule.kind,
    threshold: rule.threshold,
    channels: rule.channels,
    enabled: rule.enabled,
    last_30_days: { alerts: rule.alerts, accounts: rule.accounts },
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
    version: rule.version,
  };
}
