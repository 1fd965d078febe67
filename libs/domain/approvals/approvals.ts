import { ACCOUNT_FIELDS, type AccountFieldName } from '../accounts/account-fields';
import { opensWide, parseAllowList } from '../allow-lists/allow-list';
import { grouped, plural } from '../common/sentences';
import { mayStaff, type StaffPermission, type StaffRole } from '../staff/staff-permissions';

/** What waits for a second person on an installation. */
export interface ApprovalPolicy {
  /** Tier, limits and features of accounts. */
  entitlements: boolean;
  /** Credits granted at once: more than this. Null for never. */
  creditsAbove: number | null;
  /** An allow-list removed, or an exposed key restored. */
  listRemoval: boolean;
  /** Keys changed at once: more than this. Null for never. */
  bulkChangeAbove: number | null;
}

/** What a change did, as the audit log says it. */
interface AuditedChange {
  action: string;
  before?: object | null;
  after?: object | null;
}

/** A kind of change that may need a second person. */
interface ApprovalKindRow {
  /** What both people need for it, or only who approves it. */
  permission: StaffPermission;
  /** What who requests it needs, where that is less. */
  requestPermission?: StaffPermission;
  /** The setting that makes it wait; with false or null it never does. Left out where it always waits. */
  setting?: keyof ApprovalPolicy;
  /** Whether it waits when the setting says so, with the number that the setting has; left out where it always does. */
  needs?: (changes: readonly AuditedChange[], limit: number, keys: number) => boolean;
  /** What would be done, before the name of what it is done to: "Give 5,000 credits to". */
  text: (after: Record<string, unknown>, targetId: string) => string;
}

const OF_MANY_KEYS = {
  permission: 'keys.write',
  setting: 'bulkChangeAbove',
  needs: (_, limit, keys) => keys > limit,
} as const satisfies Partial<ApprovalKindRow>;

const OF_TIER = { ...OF_MANY_KEYS, permission: 'key_policies.write' } as const;

const count = (value: unknown, one: string) => plural(Number(value), one, undefined, grouped);

/** Everything that may need a second person. The service that makes such a change has how it is made later, see `approvable`. */
const APPROVAL_KINDS = {
  account_settings: {
    permission: 'accounts.write',
    setting: 'entitlements',
    needs: (changes) =>
      changes.some(({ after }) =>
        Object.keys(after ?? {}).some((name) => !ACCOUNT_FIELDS[name as AccountFieldName]?.isLabel),
      ),
    text: () => 'Change the tier or the limits of',
  },
  allow_list_entitlement: {
    permission: 'entitlements.write',
    setting: 'entitlements',
    text: ({ ip_allow_list_enabled: enabled }) => `Switch allow-lists ${enabled === true ? 'on' : 'off'} for`,
  },
  credits: {
    permission: 'accounts.write',
    setting: 'creditsAbove',
    needs: (changes, limit) => changes.some(({ after }) => Number(fieldOf(after, 'amount')) > limit),
    text: ({ amount, ends_at: endsAt }) =>
      `Give ${grouped(Number(amount))} ${endsAt === undefined ? '' : 'prepaid '}credits to`,
  },
  credit_request: {
    permission: 'accounts.write',
    requestPermission: 'credits.request',
    text: ({ amount, ends_at: endsAt }) =>
      `Give ${count(amount, `requested ${endsAt === undefined ? '' : 'prepaid '}credit`)} to`,
  },
  list_removal: {
    permission: 'keys.write',
    setting: 'listRemoval',
    needs: (changes) => changes.some(({ before, after }) => opens(listOf(before), listOf(after))),
    text: ({ allowed_ips: list }) =>
      list === null ? 'Remove the allow-list of' : 'Let in very wide blocks for',
  },
  key_restore: {
    permission: 'keys.write',
    setting: 'listRemoval',
    needs: (changes) => changes.some(({ after }) => fieldOf(after, 'disable_reason') === 'exposed_publicly'),
    text: () => 'Restore the exposed key',
  },
  bulk_change: {
    ...OF_MANY_KEYS,
    text: ({ keys }) => `Change ${count(keys, 'key')} at once`,
  },
  bulk_undo: {
    ...OF_MANY_KEYS,
    text: ({ keys }) => `Undo a change of ${count(keys, 'key')}`,
  },
  bulk_keep: {
    ...OF_MANY_KEYS,
    text: ({ keys }) => `Keep a change of ${count(keys, 'key')}`,
  },
  key_policy: {
    ...OF_MANY_KEYS,
    text: ({ keys }) => `Let ${count(keys, 'key')} expire earlier`,
  },
  tier_key_policy: {
    ...OF_TIER,
    text: ({ keys, tier }) => `Let ${count(keys, 'key')} of the tier ${String(tier)} expire earlier`,
  },
  idle_policy: {
    ...OF_MANY_KEYS,
    text: ({ keys }) => `Disable ${count(keys, 'idle key')}, after a warning, of`,
  },
  tier_idle_policy: {
    ...OF_TIER,
    text: ({ keys }, tier) => `Disable ${count(keys, 'idle key')}, after a warning, of the tier ${tier}`,
  },
} as const satisfies Record<string, ApprovalKindRow>;

export type ApprovalKind = keyof typeof APPROVAL_KINDS;

export const APPROVAL_KIND_NAMES = Object.keys(APPROVAL_KINDS) as ApprovalKind[];

/** A kind's row of the table. */
export function approvalKind(kind: ApprovalKind): ApprovalKindRow {
  return APPROVAL_KINDS[kind];
}

export const APPROVAL_STATUSES = ['waiting', 'approved', 'declined', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * Whether a change waits for a second person.
 *
 * @param changes its audit events; none for a change that changes nothing
 * @param keys how many keys a change of many changes
 */
export function needsSecondPerson(
  kind: ApprovalKind,
  policy: ApprovalPolicy,
  changes: readonly AuditedChange[],
  keys = 0,
): boolean {
  const { setting, needs } = approvalKind(kind);
  const isNeeded = () => needs?.(changes, Number(setting && policy[setting]), keys) ?? true;
  return changes.length > 0 && isOn(kind, policy) && isNeeded();
}

/** A permission that too few people have for two of them to make a change. */
export interface MissingApprovers {
  permission: StaffPermission;
  kinds: ApprovalKind[];
  /** How many have it: none, or one. */
  people: number;
}

/** What cannot be approved on an installation, because a change needs two people with its permission. */
export function missingApprovers(
  policy: ApprovalPolicy,
  members: readonly { role: StaffRole; members: number }[],
): MissingApprovers[] {
  const kinds = APPROVAL_KIND_NAMES.filter(
    (kind) => approvalKind(kind).requestPermission === undefined && isOn(kind, policy),
  );
  return [...new Set(kinds.map((kind) => approvalKind(kind).permission))].flatMap((permission) => {
    const people = members
      .filter(({ role }) => mayStaff(role, permission))
      .reduce((sum, each) => sum + each.members, 0);
    return people >= 2
      ? []
      : [{ permission, kinds: kinds.filter((kind) => approvalKind(kind).permission === permission), people }];
  });
}

/** Whether a kind can wait at all. */
function isOn(kind: ApprovalKind, policy: ApprovalPolicy): boolean {
  const { setting } = approvalKind(kind);
  const value = setting && policy[setting];
  return value !== false && value !== null;
}

/** Null for no list; undefined where the event is not about one. */
function listOf(record: object | null | undefined): List {
  return fieldOf(record, 'allowed_ips') as List;
}

type Entries = readonly { cidr: string; ends_at?: Date | string | null }[];
type List = Entries | null | undefined;

/**
 * Whether a list is removed, or very wide and lets in what it did not: practically the same. All its entries count together,
 * so that no number of small steps removes a list.
 */
function opens(before: List, after: List): boolean {
  if (!before || after === undefined) return false;
  return after === null || opensWide(toEntries(after), toEntries(before));
}

function toEntries(list: Entries) {
  return parseAllowList(
    list.map(({ cidr, ends_at: end }) => ({ text: cidr, endsAtMs: end ? new Date(end).getTime() : null })),
  ).entries;
}

function fieldOf(record: object | null | undefined, name: string): unknown {
  return (record as Record<string, unknown> | null | undefined)?.[name];
}
