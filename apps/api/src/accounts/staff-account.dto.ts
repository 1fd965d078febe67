import { isUuid } from '@app/domain/common/uuid';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import {
  ACCOUNT_FIELD_NAMES,
  ACCOUNT_FIELDS,
  toWire,
  UNDONE_OF_ACCOUNTS,
  type AccountFieldName,
  type UndoneOfAccount,
  type WireAccountSettings,
} from '@app/domain/accounts/account-fields';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import { ACCOUNT_ORDERS, type AccountFilter } from '@app/database/accounts/account.repository';
import { mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import { choose } from '../http/choose';
import { checkedBody } from '../http/checked-body';
import { BooleanField, CheckedField, EnumField, StringField } from '../http/fields';
import { checkExternalId } from '@app/domain/common/tags';
import { checkManager, checkTagFilter, toManagerId, toTags } from '../http/account-filters';
import type { Staff } from '@app/domain/staff/staff';
import type { AccountDetail, ListedAccount, ManagedAccount } from './account-search.service';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { checkEnum, checkPercent, wholeNumberText } from '@app/domain/common/field-checks';
import { checkOfKind } from '@app/domain/keys/key-settings';
import { ReasonBody } from '../http/reason';
import { RevertAtField, toSettingUndos, type SettingUndo } from '../http/revert-at';
import { PageQuery } from '../http/pagination';
import { sortNames } from '../http/sorted-list';

const checkDays = wholeNumberText(1, 31);

export class AccountQuery extends PageQuery {
  @EnumField(sortNames(ACCOUNT_ORDERS), { optional: true })
  sort: string = '-created_at';

  /** Id, or part of the name. */
  @StringField({ optional: true, max: 100 })
  search?: string;

  @EnumField(TIER_NAMES, { optional: true })
  tier?: Tier;

  @EnumField(['active', 'suspended', 'closed'], { optional: true })
  status?: AccountStatus;

  @EnumField(['true', 'false'], { optional: true })
  ip_allow_list?: 'true' | 'false';

  /** The account manager: an id, `me`, or `none` for accounts without one. */
  @CheckedField(checkManager, { optional: true })
  manager?: string;

  /** Accounts with all of these tags, with commas between them. */
  @CheckedField(checkTagFilter, { optional: true })
  tag?: string;

  @CheckedField(checkExternalId, { optional: true })
  external_id?: string;

  /** A part of the name or the e-mail address of a contact. */
  @StringField({ optional: true, min: 1, max: 100 })
  contact?: string;

  /** Accounts that have used at least this share of their credits in this period, grants included, in percent. */
  @CheckedField(checkPercent, { optional: true })
  min_credits_percent?: string;

  /** Accounts that have run out of credits, or will within so many days if they continue as in the last 7. */
  @CheckedField(checkDays, { optional: true })
  runs_out_within_days?: string;

  /** Whether requests were refused in the last 7 days. */
  @EnumField(['true', 'false'], { optional: true })
  refused?: 'true' | 'false';

  /** Whether webhooks fail, or were switched off because they did. */
  @EnumField(['true', 'false'], { optional: true })
  webhooks_failing?: 'true' | 'false';
}

const DAY_SECS = 86_400;
const toBoolean = (text: 'true' | 'false' | undefined) => (text === undefined ? undefined : text === 'true');

export function toFilter(
  { search, tier, status, ip_allow_list, manager, tag, external_id, contact, ...standing }: AccountQuery,
  staff: Staff,
): AccountFilter {
  const requested = search?.trim() || undefined;
  return {
    ...(requested !== undefined && (isUuid(requested) ? { id: requested } : { namePart: requested })),
    tier,
    status,
    ipAllowListEnabled: toBoolean(ip_allow_list),
    withinCredential: staff.boundBy,
    managerId: toManagerId(manager, staff),
    tags: toTags(tag),
    externalId: external_id,
    contactPart: contact?.trim(),
    ...toStandingFilter(standing),
  };
}

function toStandingFilter({
  min_credits_percent: percent,
  runs_out_within_days: days,
  refused,
  webhooks_failing,
}: Partial<AccountQuery>): AccountFilter {
  return {
    minCreditShare: percent === undefined ? undefined : Number(percent) / 100,
    lastsAtMostSecs: days === undefined ? undefined : Number(days) * DAY_SECS,
    hasRefusals: toBoolean(refused),
    hasFailingWebhooks: toBoolean(webhooks_failing),
  };
}

type EditedSettings = Partial<WireAccountSettings>;
type NewSettings = EditedSettings & Pick<WireAccountSettings, 'name' | 'tier'>;

function settingsBody(isNew: boolean): new () => ReasonBody & EditedSettings {
  return checkedBody(ReasonBody, ACCOUNT_FIELD_NAMES, (name: AccountFieldName) => {
    const { kind, bounds, required } = ACCOUNT_FIELDS[name];
    return {
      check: kind === 'tier' ? checkEnum(TIER_NAMES) : checkOfKind({ kind, bounds }),
      optional: !(isNew && required),
      nullable: kind === 'count' || kind === 'text',
    };
  });
}

export class CreateAccountBody extends (settingsBody(true) as new () => ReasonBody & NewSettings) {}

export class EditAccountBody extends settingsBody(false) {
  /** When the tier and the limits that this sets are reverted, at most 366 days away: for an increase that ends. */
  @RevertAtField()
  revert_at?: string;
}

export class EntitlementBody extends ReasonBody {
  @BooleanField()
  enabled: boolean;
}

export class RecordingsConsentBody extends ReasonBody {
  /** Whether those who speak in the recordings of the account have consented. */
  @BooleanField()
  given: boolean;
}

export class ManagerBody extends ReasonBody {
  /** A member of staff who may change accounts; null for none. */
  @StringField({ nullable: true, max: 36 })
  staff_id: string | null;
}

export interface ManagerResponse extends ReturnType<typeof toManager> {}

export function toManager({ id, name, email, disabledAt }: StaffMember) {
  return {
    id,
    name,
    email,
    /** Left, or may not sign in for another reason. */
    disabled: disabledAt !== null,
  };
}

export interface LimitResponse extends ReturnType<typeof toLimit> {}

function toLimit(limit: number, override: number | null) {
  return { limit, override };
}

export interface AccountDetailResponse extends ReturnType<typeof toAccountDetail> {
  receipt?: ChangeReceipt | null;
}

export interface AccountResponse extends ReturnType<typeof toAccountResponse> {}

export function toAccountResponse({ account, manager }: ManagedAccount) {
  return {
    ...choose(account, 'id', 'status'),
    ...toWire(account),
    limits: {
      voices: toLimit(account.voiceLimit, account.voiceLimitOverride),
      concurrency: toLimit(account.concurrencyLimit, account.concurrencyLimitOverride),
      /** Null: the tier's. What is in effect stands in the usage. */
      credits_override: account.creditLimitOverride,
    },
    ip_allow_list: {
      /** Switched on by an account manager. */
      enabled: account.ipAllowListEnabled,
      /** New lists are accepted. Lists that exist are enforced in any case. */
      accepts_new_lists: mayPlaceAllowList(account),
      preview: true as const,
      changed_at: account.ipAllowListChangedAt?.toISOString() ?? null,
      changed_by: account.ipAllowListChangedBy,
      reason: account.ipAllowListReason,
    },
    /** Whether holders of keys that do not say it may disable them; null: the default, which is yes. */
    third_party_disable_allowed: account.thirdPartyDisableAllowed,
    /** When staff noted the consent of those whose recordings it uploads; null: recordings are refused. */
    recordings_consented_at: account.recordingsConsentedAt?.toISOString() ?? null,
    /** Who looks after the account. */
    manager: manager && toManager(manager),
    ...choose(account, 'createdAt', 'updatedAt', 'version'),
  };
}

/** An account of a list, with how it stands now. */
export interface ListedAccountResponse extends ReturnType<typeof toListedAccount> {}

export function toListedAccount({ standing, ...managed }: ListedAccount, now: number) {
  const { used, usable: limit, periodStart, periodEnd, lastsSecs } = standing;
  return {
    ...toAccountResponse(managed),
    standing: {
      /** The limit includes what was granted for the period. */
      credits: {
        used,
        limit,
        period_start: periodStart.toISOString(),
        period_end: periodEnd.toISOString(),
        /** Used on each of the last 14 days (UTC), today last. */
        by_day: standing.usedByDay,
        /** When nothing is left if the account continues as in the last 7 days; null when its period ends before. */
        runs_out_at: lastsSecs === null ? null : new Date(now + lastsSecs * 1_000).toISOString(),
      },
      /** When the next of its enabled keys expires within 31 days; null when none does. */
      key_expires_at: standing.keyExpiresAt?.toISOString() ?? null,
      /** Requests of the last 7 days that its keys were refused, for any reason. */
      refused_requests: standing.refusedRequests,
      /** Endpoints that did not accept the last event, or are switched off for that. */
      failing_webhooks: standing.failingWebhooks,
    },
  };
}

export interface AccountUndoResponse extends SettingUndo<UndoneOfAccount> {}

export function toAccountDetail({ usage, undos, ...managed }: AccountDetail) {
  const undo: AccountUndoResponse[] = toSettingUndos(undos, UNDONE_OF_ACCOUNTS);
  return {
    ...toAccountResponse(managed),
    /** What settings were before their last change, and when each is reverted; the newest first. */
    undo,
    usage: {
      /** The limit includes what was granted for the period. */
      credits: {
        used: usage.creditsUsed,
        limit: usage.creditLimit,
        remaining: Math.max(0, usage.creditsLeft),
        period_start: usage.periodStart.toISOString(),
        period_end: usage.periodEnd.toISOString(),
      },
      voices: { used: usage.voicesUsed, limit: managed.account.voiceLimit },
      keys: { total: usage.keys, enabled: usage.enabledKeys, with_allow_list: usage.listedKeys },
    },
  };
}
