import type { ServiceAccount } from '@app/database/accounts/service-account.entity';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { publishedDisableReason, type PublishedDisableReason } from '@app/domain/keys/disable-reasons';
import { checkAllowedIps, checkCredits, checkPermissions } from '@app/domain/keys/key-field-checks';
import { checkOfValue } from '@app/domain/keys/key-settings';
import { checkWordOr } from '../http/common-checks';
import type { NewApiKey } from '@app/administration/keys/api-keys.service';
import { checkBoolean, withSchema, type Check } from '@app/domain/common/field-checks';
import { BooleanField, CheckedField, EnumField, StringField } from '../http/fields';
import type { CustomerKeyEdit } from './service-account-key-changes.service';

const NAME = { min: 1, max: 200 };
const MAYBE = { optional: true, nullable: true };

/** A setting of the published API that keys do not have here: only "not set" can be promised. */
const checkNotOffered = (why: string): Check =>
  withSchema({ type: 'string', enum: ['no_update', 'clear'] }, (value) =>
    value === 'no_update' || value === 'clear'
      ? []
      : [{ type: 'not_offered', msg: `Input should be left out: ${why}` }],
  );
const checkConcurrency = checkOfValue('concurrency_limit');
const checkNoOperation = checkNotOffered('this service has no operation that it would limit');

const checkNoGroups: Check = withSchema({ type: 'array', maxItems: 0 }, (value) =>
  Array.isArray(value) && value.length === 0
    ? []
    : [{ type: 'not_offered', msg: 'Input should be an empty list or left out: this service has no groups' }],
);

/** Limits of products that are not offered. */
class OtherConcurrencyFields {
  @CheckedField(checkNoOperation, MAYBE)
  dubbing_concurrency_limit?: unknown;

  @CheckedField(checkNoOperation, MAYBE)
  music_concurrency_limit?: unknown;
}

export class CreateServiceAccountBody {
  @StringField(NAME)
  name: string;

  @CheckedField(checkNoGroups, MAYBE)
  default_sharing_groups?: unknown;
}

export class CreateServiceAccountKeyBody extends OtherConcurrencyFields {
  @StringField(NAME)
  name: string;

  @CheckedField(checkPermissions)
  permissions: string[] | 'all';

  @CheckedField(checkCredits, MAYBE)
  character_limit?: number | null;

  @CheckedField(checkAllowedIps, MAYBE)
  allowed_ips?: string[] | null;

  @BooleanField(MAYBE)
  third_party_disable_allowed?: boolean | null;

  /** Generations at once; null for the account's limit only. */
  @CheckedField(checkConcurrency, MAYBE)
  tts_concurrency_limit?: number | null;
}

const KEEP = 'no_update';
const CLEAR = 'clear';

/** `"no_update"` leaves a setting as it is, and so do null and leaving it out; `"clear"` takes it away. */
export class EditServiceAccountKeyBody extends OtherConcurrencyFields {
  @CheckedField(checkWordOr([KEEP], checkBoolean), { optional: true })
  is_enabled: boolean | typeof KEEP = KEEP;

  @StringField({ ...NAME, ...MAYBE })
  name: string | null = null;

  @CheckedField(checkWordOr([KEEP], checkPermissions), { optional: true })
  permissions: string[] | 'all' | typeof KEEP = KEEP;

  @CheckedField(checkWordOr([CLEAR, KEEP], checkCredits), MAYBE)
  character_limit: number | typeof CLEAR | typeof KEEP | null = KEEP;

  @CheckedField(checkWordOr([CLEAR, KEEP], checkAllowedIps), { optional: true })
  allowed_ips: string[] | typeof CLEAR | typeof KEEP = KEEP;

  @CheckedField(checkWordOr([CLEAR, KEEP], checkBoolean), { optional: true })
  third_party_disable_allowed: boolean | typeof CLEAR | typeof KEEP = KEEP;

  @CheckedField(checkWordOr([CLEAR, KEEP], checkConcurrency), MAYBE)
  tts_concurrency_limit: number | typeof CLEAR | typeof KEEP | null = KEEP;
}

export class DisableKeyQuery {
  @EnumField(['self'])
  api_key_name: 'self';
}

export interface ServiceAccountKeyResponse {
  name: string;
  hint: string;
  key_id: string;
  service_account_user_id: string;
  created_at_unix: number;
  is_disabled: boolean;
  /** Null for all. */
  permissions: string[] | null;
  disable_reason: PublishedDisableReason | null;
  character_limit: number | null;
  character_count: number;
  hashed_xi_api_key: string;
  allowed_ips: string[] | null;
  third_party_disable_allowed: boolean | null;
  /** What limits the key itself; a limit is null where only that of the account applies. */
  platform_limits: {
    credits: { limit: number | null; usage: number };
    pvc: { limit: null };
    /** Generations at once. */
    concurrency: { limit: number | null };
    dubbing_concurrency: { limit: null };
    music_concurrency: { limit: null };
  };
}

export interface ServiceAccountResponse extends ReturnType<typeof toServiceAccountResponse> {}

export function toServiceAccountResponse(serviceAccount: ServiceAccount, keys: ApiKeyView[]) {
  return {
    service_account_user_id: serviceAccount.id,
    name: serviceAccount.name,
    created_at_unix: toUnix(serviceAccount.createdAt),
    'api-keys': keys
      .filter((key) => key.serviceAccountId === serviceAccount.id)
      .map((key) => toKeyResponse(serviceAccount.id, key)),
    default_sharing_groups: [],
  };
}

export function toKeyResponse(serviceAccountId: string, key: ApiKeyView): ServiceAccountKeyResponse {
  return {
    name: key.name,
    hint: key.maskedSecret,
    key_id: key.id,
    service_account_user_id: serviceAccountId,
    created_at_unix: toUnix(key.createdAt),
    is_disabled: key.disableReason !== null,
    permissions: key.permissions,
    disable_reason: publishedDisableReason(key.disableReason),
    character_limit: key.creditLimit,
    character_count: key.creditsUsed,
    hashed_xi_api_key: key.digest,
    allowed_ips: key.allowedIps,
    third_party_disable_allowed: key.thirdPartyDisableAllowed,
    platform_limits: toPlatformLimits(key),
  };
}

const UNLIMITED = { limit: null };

function toPlatformLimits({
  creditLimit,
  creditsUsed,
  concurrencyLimit,
}: ApiKeyView): ServiceAccountKeyResponse['platform_limits'] {
  return {
    credits: { limit: creditLimit, usage: creditsUsed },
    pvc: UNLIMITED,
    concurrency: { limit: concurrencyLimit },
    dubbing_concurrency: UNLIMITED,
    music_concurrency: UNLIMITED,
  };
}

export function toNewKey(body: CreateServiceAccountKeyBody): Omit<NewApiKey, 'accountId' | 'parentKeyIds'> {
  return {
    name: body.name,
    permissions: body.permissions,
    creditLimit: body.character_limit,
    allowedIps: body.allowed_ips,
    thirdPartyDisableAllowed: body.third_party_disable_allowed,
    concurrencyLimit: body.tts_concurrency_limit,
  };
}

export function toEdit(body: EditServiceAccountKeyBody): CustomerKeyEdit {
  return {
    name: body.name ?? undefined,
    enabled: stored(body.is_enabled),
    permissions: stored(body.permissions),
    creditLimit: cleared(body.character_limit ?? KEEP),
    allowedIps: cleared(body.allowed_ips),
    thirdPartyDisableAllowed: cleared(body.third_party_disable_allowed),
    concurrencyLimit: cleared(body.tts_concurrency_limit ?? KEEP),
  };
}

function stored<T>(value: T | typeof KEEP): T | undefined {
  return value === KEEP ? undefined : value;
}

function cleared<T>(value: T | typeof CLEAR | typeof KEEP): T | null | undefined {
  return value === CLEAR ? null : stored(value);
}

function toUnix(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
