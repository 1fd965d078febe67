import { DAY_MS } from '@app/domain/common/utc-days';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ApiKeySecret } from '@app/database/keys/api-key-secret.entity';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { shownCreditsLeft } from '@app/domain/credits/credits-left';
import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import {
  EDITED_FIELDS,
  KEY_FIELD_NAMES,
  KEY_FIELDS,
  REQUIRED_FIELDS,
  UNDONE_FIELDS,
  type WireKeySettings,
} from '@app/domain/keys/key-fields';
import { fromWire, toWire } from '@app/domain/keys/key-settings';
import {
  DELETED_KEY_DAYS,
  effectiveKeyStatus,
  keyStatus,
  type EffectiveKeyStatus,
  type KeyStatus,
} from '@app/domain/keys/key-status';
import {
  defaultOverlapDays,
  MAX_OVERLAP_DAYS,
  ROTATION_CAUSES,
  secretState,
  type RotationCause,
} from '@app/domain/keys/secret-rotation';
import { BooleanField, EnumField, NumberField, StringField } from '../http/fields';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { ReasonBody } from '../http/reason';
import { RevertAtField, toRevertAt, type SettingUndo } from '../http/revert-at';
import { toDueAt, UndoMinutesField } from '../http/undo-minutes';
import type { Page } from '../http/pagination';
import type { NewApiKey } from '@app/administration/keys/api-keys.service';
import type { EditableSetting } from '@app/administration/keys/key-settings';
import type { ListedApiKey } from './api-key-search.service';
import { settingsBody } from './settings-body';

/** Null in a setting is for none of it. */
export class CreateApiKeyBody extends settingsBody(ReasonBody, KEY_FIELD_NAMES, {
  required: REQUIRED_FIELDS,
}) {
  /** The list as people write it, instead, or any text that has addresses in it: `#` begins a note, as do brackets or a dash behind an address; other words are ignored and have to be confirmed. Empty for any address. */
  @StringField({ optional: true, max: 20_000 })
  allowed_ips_text?: string;

  /** Confirms a list that is very wide. */
  @BooleanField({ optional: true })
  confirm?: boolean;
}

export class EditApiKeyBody extends settingsBody(ReasonBody, EDITED_FIELDS) {
  /** What is set is reverted after that time, unless it is kept; name, tags and external id are not. */
  @UndoMinutesField()
  undo_after_minutes?: number | null;

  /** The same by the time when it is reverted, at most 366 days away: for an increase that ends. */
  @RevertAtField()
  revert_at?: string;
}

export class DisableApiKeyBody extends ReasonBody {
  @EnumField(DISABLE_REASONS)
  disable_reason: DisableReason;
}

export class RestoreApiKeyBody extends ReasonBody {
  /** Confirms that a key is restored whose secret was exposed. */
  @BooleanField({ optional: true })
  confirm?: boolean;
}

export class RotateApiKeyBody extends ReasonBody {
  /** Days, fractions included, that the old secret works beside the new one. Left out: 7, and 0 for a leaked secret. */
  @NumberField({ optional: true, min: 0, max: MAX_OVERLAP_DAYS })
  overlap_days?: number;

  /** `leaked` also where it is left out and the reason begins with that word; else `scheduled`. */
  @EnumField(ROTATION_CAUSES, { optional: true })
  cause?: RotationCause;
}

export function toOverlapDays({ overlap_days: days, cause, reason }: RotateApiKeyBody): number {
  return days ?? defaultOverlapDays(cause, reason);
}

export interface ApiKeyResponse extends Omit<WireKeySettings, 'credit_limit'> {
  id: string;
  account: { id: string; name: string; status: string; tier: string };
  service_account_id: string | null;
  /** The key that created it through the public API and limits it; null for none. */
  maker_id: string | null;
  /** The file of keys that manages it, and whose settings only that file changes; null for none. */
  managed_by: string | null;
  hint: string;
  status: KeyStatus;
  /** `status` with that of the account: what decides about requests. */
  effective_status: EffectiveKeyStatus;
  disable_reason: string | null;
  disabled_at: string | null;
  /** Of a deleted key only. */
  deleted_at?: string;
  /** Until when a deleted key can be restored. */
  removed_after?: string;
  /** `limit` null: the account's only. */
  credits: {
    /** With what is held. */
    used: number;
    /** Per billing period; null for no separate limit. */
    limit: number | null;
    /** Beyond the limit, in this period. */
    granted: number;
    /** Null for no separate limit. */
    remaining: number | null;
    period_start: string;
    period_end: string;
  };
  last_used_at: string | null;
  last_used_from: string | null;
  /** During the overlap of a rotation: when the old secret stops working. */
  old_secret_retires_at: string | null;
  created_at: string;
  updated_at: string;
  version: number;
}

export interface SettingUndoResponse extends SettingUndo<EditableSetting> {}

export interface ApiKeyDetailResponse extends ApiKeyResponse {
  /** Newest first. */
  secrets: SecretResponse[];
  /** What settings were before their last change, and when each is reverted; the newest first. */
  undo: SettingUndoResponse[];
  receipt?: ChangeReceipt | null;
}

/** With the secret, which is shown this once. */
export interface ApiKeyWithSecretResponse extends ApiKeyDetailResponse {
  secret: string;
}

export interface ApiKeyPageResponse extends Page<ListedApiKeyResponse> {
  /** The total is an estimate: counting further would take longer than the list. */
  total_is_estimate: boolean;
}

export function toApiKeyResponse(key: ApiKeyView): ApiKeyResponse {
  const status = keyStatus(key, new Date());
  const { credit_limit: _, ...shown } = toWire(key) as WireKeySettings;
  return {
    id: key.id,
    account: { id: key.accountId, name: key.accountName, status: key.accountStatus, tier: key.tier },
    service_account_id: key.serviceAccountId,
    maker_id: key.parentKeyIds?.[0] ?? null,
    managed_by: key.managedBy,
    ...shown,
    hint: key.maskedSecret,
    status,
    effective_status: effectiveKeyStatus(status, key.accountStatus),
    disable_reason: key.disableReason,
    disabled_at: toText(key.disabledAt),
    ...(key.deletedAt && {
      deleted_at: key.deletedAt.toISOString(),
      removed_after: removedAfter(key.deletedAt),
    }),
    credits: toKeyCredits(key),
    last_used_at: toText(key.lastUsedAt),
    last_used_from: key.lastUsedAddress,
    old_secret_retires_at: toText(key.oldSecretRetiresAt),
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    version: key.version,
  };
}

export interface ListedApiKeyResponse extends ReturnType<typeof toListedApiKeyResponse> {}

export function toListedApiKeyResponse(key: ListedApiKey) {
  return {
    ...toApiKeyResponse(key),
    /** On which of the last 14 days (UTC), today last, any request came with it; null for a key of another cell. */
    days_in_use: key.daysInUse,
  };
}

function removedAfter(deletedAt: Date): string {
  return new Date(deletedAt.getTime() + DELETED_KEY_DAYS * DAY_MS).toISOString();
}

function toKeyCredits(key: ApiKeyView) {
  const { creditLimit: limit, creditsGranted: granted, creditsUsed: used } = key;
  const remaining = shownCreditsLeft({ creditLimit: limit, granted, used });
  const [period_start, period_end] = [key.periodStart.toISOString(), key.periodEnd.toISOString()];
  return { used, limit, granted, remaining, period_start, period_end };
}

interface SecretResponse extends ReturnType<typeof toSecretResponse> {}

export function toSecretResponse(secret: ApiKeySecret) {
  return {
    number: secret.number,
    hint: secret.maskedSecret,
    state: secretState(secret, new Date()),
    retires_at: toText(secret.retiresAt),
    last_used_at: toText(secret.lastUsedAt),
    last_used_from: secret.lastUsedAddress,
    created_at: secret.createdAt.toISOString(),
  };
}

/** The settings whose edit can be undone; allow-lists have their own. */
export const EDITABLE_SETTINGS = UNDONE_FIELDS.filter(
  (name): name is EditableSetting => KEY_FIELDS[name].edited,
);

export function toNewApiKey(accountId: string, body: CreateApiKeyBody): Omit<NewApiKey, 'allowedIps'> {
  return {
    accountId,
    ...fromWire(body),
    name: body.name,
    permissions: body.permissions,
  };
}

/** The list that a new key begins with, in one of its two forms; null for none. */
export function toFirstList({ allowed_ips, allowed_ips_text: text, confirm = false }: CreateApiKeyBody) {
  const field = 'allowed_ips_text';
  if (text === undefined || text.trim() === '') {
    const entries = allowed_ips?.map((address) => ({ address }));
    return entries ? { entries, field: 'allowed_ips', confirmed: confirm } : null;
  }
  if (!allowed_ips) return { text, field, confirmed: confirm };
  const accepted = 'left out when allowed_ips is given';
  throw new InvalidInput([
    {
      type: 'value_error',
      path: [field],
      msg: `Input should be ${accepted}`,
      input: text,
      ctx: { accepted },
    },
  ]);
}

/** When what an edit sets is reverted; null for never. */
export function toEditEnd({ undo_after_minutes: minutes, revert_at: text }: EditApiKeyBody): Date | null {
  return toRevertAt(text, { isElsewhere: typeof minutes === 'number' }) ?? toDueAt(minutes);
}

function toText(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
