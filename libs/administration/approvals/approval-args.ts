import type { ApiKeyFilter } from '@app/database/keys/api-key-filter';
import type { PolicyScope } from '@app/database/key-policies/key-policy.repository';
import {
  ACCOUNT_FIELDS,
  PLAIN_ACCOUNT_FIELDS,
  type AccountSettingsEdit,
  type UndoneOfAccount,
} from '@app/domain/accounts/account-fields';
import type { ApprovalKind } from '@app/domain/approvals/approvals';
import type { CreditKind } from '@app/domain/credits/credit-adjustment';
import type { BulkEdit } from '@app/domain/keys/bulk-edit';
import { propertyOf } from '@app/domain/common/property-name';
import { POLICY_FIELD_NAMES, POLICY_FIELDS, type KeyPolicyRules } from '@app/domain/keys/key-policy';
import type { InputList } from '@app/domain/allow-lists/input-list';
import {
  anyOf,
  boolean,
  isAny,
  listOf,
  nullable,
  number,
  object,
  optional,
  text,
  type Check,
} from './json-shape';

export interface AccountEdit extends AccountSettingsEdit {
  /** When the tier and the limits are reverted, as ISO 8601 text; null for never. */
  revertAt?: string | null;
  /** Instead of all that: the setting whose last change is undone, or kept although its timer would revert it. */
  undoes?: UndoneOfAccount;
  keeps?: UndoneOfAccount;
}

/** Credits that staff give or take; positive amounts give. */
export interface StaffCredits {
  kind: CreditKind;
  amount: number;
  /** Null for the account alone. */
  keyId: string | null;
  requestId: string;
  /** The line of the ledger that they are given for. */
  lineId?: string;
  /** When prepaid credits end, as ISO 8601 text; null for never. */
  endsAt?: string | null;
}

/** How a list is removed, or replaced by a very wide one: by another list, by undoing the change that placed it, or by keeping its end. */
export type ListRemoval =
  | { list: InputList; undoAfterMinutes: number | null }
  | { byUndo: true }
  | { byKeeping: true };

/** A key as it was when a change of many was requested. */
export interface SeenKey {
  id: string;
  version: number;
}

/** The change of these keys, as they are. */
export interface BulkChangeArgs {
  filter: ApiKeyFilter;
  edit: BulkEdit;
  reason: string;
  keys: SeenKey[];
  leftAlone: number;
  undoAfterMs: number | null;
}

/** The new expiry of these keys, as they are. */
export interface ShorteningArgs {
  scope: PolicyScope;
  maxLifetimeDays: number | null;
  graceDays: number;
  undoAfterMs: number | null;
  keys: SeenKey[];
}

/** Another policy in place of the one that was seen; null for none. */
export interface PolicyArgs {
  scope: PolicyScope;
  rules: KeyPolicyRules | null;
  before: KeyPolicyRules | null;
}

/** A check of what was stored as JSON, which says what it then is. */
const args = <T>(check: Check & { args?: T }): Check & { args?: T } => check;

const limit = optional(nullable(number));
const scope = anyOf(object({ tier: text, accountId: isNull }), object({ tier: isNull, accountId: text }));
const keys = listOf(object({ id: text, version: number }));
const days = nullable(number);
const OF_KIND = {
  name: optional(text),
  tier: optional(text),
  tags: optional(listOf(text)),
  text: optional(nullable(text)),
  count: limit,
  permissions: optional(nullable(listOf(text))),
  flag: optional(nullable(boolean)),
};
/** What a release before did not know is left out: it demands nothing. */
const rules = nullable(
  object({
    ...Object.fromEntries(
      POLICY_FIELD_NAMES.map((name) => [propertyOf(name), OF_KIND[POLICY_FIELDS[name].kind]]),
    ),
    maxLifetimeDays: days,
  }),
);
const shortening = args<ShorteningArgs>(
  object({ scope, maxLifetimeDays: days, graceDays: number, undoAfterMs: days, keys }),
);
const policy = args<PolicyArgs>(object({ scope, rules, before: rules }));
const endsAt = optional(nullable((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))));
const credits = args<StaffCredits>(
  object({
    kind: text,
    amount: number,
    keyId: nullable(text),
    requestId: text,
    lineId: optional(text),
    endsAt,
  }),
);
const list = object({
  text: optional(text),
  entries: optional(nullable(listOf(object({ address: text, note: optional(nullable(text)), endsAt })))),
});

/** What making a change later needs, by its kind; stored as plain JSON. */
const APPROVAL_ARGS = {
  account_settings: args<AccountEdit>(
    object({
      ...Object.fromEntries(
        PLAIN_ACCOUNT_FIELDS.map((name) => [propertyOf(name), OF_KIND[ACCOUNT_FIELDS[name].kind]]),
      ),
      overrides: optional(object({ credits: limit, voiceSlots: limit, concurrency: limit })),
      revertAt: endsAt,
      undoes: optional(text),
      keeps: optional(text),
    }),
  ),
  allow_list_entitlement: args<{ enabled: boolean }>(object({ enabled: boolean })),
  credits,
  credit_request: credits,
  list_removal: args<ListRemoval>(
    object({
      list: optional(list),
      byUndo: optional(boolean),
      byKeeping: optional(boolean),
      undoAfterMinutes: optional(days),
    }),
  ),
  bulk_change: args<BulkChangeArgs>(
    object({
      filter: object({}),
      edit: object({ action: text, value: isAny }),
      reason: text,
      keys,
      leftAlone: number,
      undoAfterMs: days,
    }),
  ),
  bulk_undo: args<object>(object({})),
  bulk_keep: args<object>(object({})),
  key_restore: args<object>(object({})),
  key_policy: shortening,
  tier_key_policy: shortening,
  idle_policy: policy,
  tier_idle_policy: policy,
} satisfies Record<ApprovalKind, Check>;

export type ApprovalArgs = {
  [K in ApprovalKind]: NonNullable<(typeof APPROVAL_ARGS)[K]['args']>;
};

function isNull(value: unknown): boolean {
  return value === null;
}

/**
 * The stored arguments of a request.
 *
 * @throws Error when they are not what the kind has: of another release, or edited
 */
export function readArgs<K extends ApprovalKind>(kind: K, stored: unknown): ApprovalArgs[K] {
  if (!APPROVAL_ARGS[kind](stored))
    throw new Error(`The arguments of a waiting change are not those of a ${kind}.`);
  return stored as ApprovalArgs[K];
}
