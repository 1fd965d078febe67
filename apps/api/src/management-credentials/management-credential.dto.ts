import type {
  ManagementInput,
  ManagementSettings,
} from '@app/administration/staff/management-credentials.service';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ManagementCredential } from '@app/database/staff/management-credential.entity';
import { checkEnum, checkList, checkTime } from '@app/domain/common/field-checks';
import { checkTag } from '@app/domain/common/tags';
import { toTime } from '@app/domain/common/times';
import { MAX_OVERLAP_DAYS } from '@app/domain/keys/secret-rotation';
import {
  ACCOUNT_BOUNDS,
  DEFAULT_MANAGEMENT_REQUESTS,
  MANAGEABLE_PERMISSIONS,
  MAX_MANAGED_ACCOUNTS,
  MAX_MANAGEMENT_REQUESTS,
  type AccountBound,
  type ManageablePermission,
} from '@app/domain/staff/management-grants';
import { MAX_ALLOW_LIST_ENTRIES } from '@app/domain/allow-lists/allow-list';
import { choose } from '../http/choose';
import {
  BooleanField,
  CheckedField,
  EnumField,
  IntegerField,
  NumberField,
  StringField,
  StringListField,
} from '../http/fields';
import { ReasonBody } from '../http/reason';

const MAYBE = { optional: true };
const NAME = { min: 1, max: 100 };
const PURPOSE = { min: 1, max: 500 };
const REQUESTS = { min: 1, max: MAX_MANAGEMENT_REQUESTS };
const ADDRESSES = { maxItems: MAX_ALLOW_LIST_ENTRIES, maxLength: 100, optional: true };
const ACCOUNTS = { maxItems: MAX_MANAGED_ACCOUNTS, maxLength: 36, optional: true };
const checkPermissions = checkList(checkEnum(MANAGEABLE_PERMISSIONS), { max: MANAGEABLE_PERMISSIONS.length });

const DEFAULT_OVERLAP_DAYS = 7;

export class CreateManagementCredentialBody extends ReasonBody {
  @StringField(NAME)
  name: string;

  /** What the program does, for people who read the list. */
  @StringField(PURPOSE)
  purpose: string;

  /** Names of staff permissions that the creator has, too; never those that guard people. */
  @CheckedField(checkPermissions)
  permissions: ManageablePermission[];

  /** Which accounts it may touch. */
  @EnumField(ACCOUNT_BOUNDS)
  accounts: AccountBound;

  /** With `accounts` `listed`. */
  @StringListField(ACCOUNTS)
  account_ids?: string[];

  /** With `accounts` `tagged`. */
  @CheckedField(checkTag, MAYBE)
  tag?: string;

  /** Addresses and CIDR blocks that may use it. */
  @StringListField(ADDRESSES)
  allowed_ips?: string[];

  /** That it may be used from every address, when `allowed_ips` has none. */
  @BooleanField(MAYBE)
  confirm_any_address?: boolean;

  /** At most a year from now. */
  @CheckedField(checkTime)
  expires_at: string;

  /** 600 when left out. */
  @IntegerField({ ...REQUESTS, optional: true })
  requests_per_minute?: number;
}

export class EditManagementCredentialBody extends ReasonBody {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @StringField({ ...PURPOSE, optional: true })
  purpose?: string;

  @CheckedField(checkPermissions, MAYBE)
  permissions?: ManageablePermission[];

  /** Which accounts it may touch; the ids and the tag of the bound before go with it. */
  @EnumField(ACCOUNT_BOUNDS, MAYBE)
  accounts?: AccountBound;

  @StringListField(ACCOUNTS)
  account_ids?: string[];

  @CheckedField(checkTag, MAYBE)
  tag?: string;

  @StringListField(ADDRESSES)
  allowed_ips?: string[];

  @BooleanField(MAYBE)
  confirm_any_address?: boolean;

  @CheckedField(checkTime, MAYBE)
  expires_at?: string;

  @IntegerField({ ...REQUESTS, optional: true })
  requests_per_minute?: number;
}

export class RotateManagementCredentialBody extends ReasonBody {
  /** How long the secret before works beside the new one; 7 when left out. */
  @NumberField({ min: 0, max: MAX_OVERLAP_DAYS, optional: true })
  overlap_days?: number;
}

export function overlapOf({
  overlap_days: days = DEFAULT_OVERLAP_DAYS,
}: RotateManagementCredentialBody): number {
  return days;
}

export function toSettings(body: CreateManagementCredentialBody): ManagementInput {
  return {
    name: body.name,
    purpose: body.purpose,
    permissions: body.permissions,
    accounts: body.accounts,
    accountIds: body.account_ids ?? [],
    tag: body.tag ?? null,
    allowedIps: body.allowed_ips ?? [],
    anyAddress: body.confirm_any_address,
    expiresAt: new Date(body.expires_at),
    requestsPerMinute: body.requests_per_minute ?? DEFAULT_MANAGEMENT_REQUESTS,
  };
}

export function toEdit(body: EditManagementCredentialBody): ManagementInput<Partial<ManagementSettings>> {
  const changed: ManagementInput<Partial<ManagementSettings>> = {
    name: body.name,
    purpose: body.purpose,
    permissions: body.permissions,
    accounts: body.accounts,
    accountIds: body.account_ids ?? (body.accounts && []),
    tag: body.tag ?? (body.accounts && null),
    allowedIps: body.allowed_ips,
    expiresAt: toTime(body.expires_at),
    requestsPerMinute: body.requests_per_minute,
    anyAddress: body.confirm_any_address,
  };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
}

export interface ManagementCredentialResponse extends ReturnType<typeof toManagementCredentialResponse> {
  receipt?: ChangeReceipt | null;
}

/** With the secret, which is shown this once. */
export interface NewManagementCredentialResponse extends ManagementCredentialResponse {
  secret: string;
}

export function toManagementCredentialResponse(credential: ManagementCredential) {
  const { oldUntil } = credential;
  return {
    ...choose(credential, 'id', 'name', 'purpose'),
    /** The part of the secret by which people recognise it. */
    hint: credential.maskedSecret,
    /** Until when the secret before works, after a rotation. */
    old_secret_until: oldUntil && oldUntil > new Date() ? oldUntil.toISOString() : null,
    permissions: credential.permissions as string[],
    ...choose(credential, 'accounts', 'accountIds', 'tag'),
    /** Empty for every address. */
    allowed_ips: credential.allowedIps,
    ...choose(credential, 'requestsPerMinute', 'expiresAt'),
    enabled: credential.disabledAt === null,
    ...choose(credential, 'disabledAt', 'createdBy', 'createdAt', 'lastUsedAt', 'lastUsedAddress', 'version'),
  };
}
