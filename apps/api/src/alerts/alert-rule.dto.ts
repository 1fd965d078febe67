import type { NewRule } from '@app/administration/alerts/alert-rules.service';
import type { NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_RULE_CHECKS, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { choose } from '../http/choose';
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

export interface AlertRuleResponse extends ReturnType<typeof toAlertRuleResponse> {}

export function toAlertRuleResponse(rule: NamedAlertRule) {
  return {
    ...choose(rule, 'id', 'scope', 'tier', 'accountId', 'keyId', 'keyName', 'kind'),
    /** In the unit of the kind; null for a kind without one. */
    threshold: rule.threshold,
    channels: rule.channels,
    /** A rule that is off notifies of nothing, nor does a wider one in its place. */
    enabled: rule.enabled,
    /** What it has noticed, and of how many accounts. */
    last_30_days: { alerts: rule.alerts, accounts: rule.accounts },
    ...choose(rule, 'createdAt', 'updatedAt', 'version'),
  };
}
