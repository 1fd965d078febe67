import type { NewRule } from '@app/administration/alerts/alert-rules.service';
import type { NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import { ALERT_KIND_NAMES, type AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_CHANNELS, type AlertChannel, type AlertScope } from '@app/domain/alerts/alert-rule';
import { checkEnum, checkList } from '@app/domain/common/field-checks';
import { BooleanField, CheckedField, EnumField, NumberField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';

/** Each kind has its own bounds within these. */
const THRESHOLD = { min: 0, max: 1_000_000, optional: true, nullable: true };

const checkChannels = checkList(checkEnum(ALERT_CHANNELS), { max: ALERT_CHANNELS.length });

class NewRuleFields extends ReasonBody {
  @EnumField(ALERT_KIND_NAMES)
  kind: AlertKind;

  /** In the unit of the kind; left out for a kind without one. */
  @NumberField(THRESHOLD)
  threshold?: number | null;

  @CheckedField(checkChannels)
  channels: AlertChannel[];

  @BooleanField({ optional: true })
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
  @NumberField(THRESHOLD)
  threshold?: number | null;

  @CheckedField(checkChannels, { optional: true })
  channels?: AlertChannel[];

  @BooleanField({ optional: true })
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
