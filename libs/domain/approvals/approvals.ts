import { opensWide, parseAllowList } from '../allow-lists/allow-list';
import { mayStaff, type StaffPermission, type StaffRole } from '../staff/staff-permissions';

/** What may need a second person, and the permission that both people need for it. */
export const APPROVAL_KINDS = {
  account_settings: 'accounts.write',
  allow_list_entitlement: 'entitlements.write',
  credits: 'accounts.write',
  list_removal: 'keys.write',
  key_restore: 'keys.write',
  bulk_change: 'keys.write',
  bulk_undo: 'keys.write',
  bulk_keep: 'keys.write',
  key_policy: 'keys.write',
  tier_key_policy: 'key_policies.write',
  idle_policy: 'keys.write',
  tier_idle_policy: 'key_policies.write',
} as const satisfies Record<string, StaffPermission>;

export type ApprovalKind = keyof typeof APPROVAL_KINDS;

export const APPROVAL_KIND_NAMES = Object.keys(APPROVAL_KINDS) as ApprovalKind[];

export const APPROVAL_STATUSES = ['waiting', 'approved', 'declined', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

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

/** Settings of an account that change nothing for it. */
const LABELS = new Set(['name', 'tags', 'external_id']);

type Need = (policy: ApprovalPolicy, changes: readonly AuditedChange[], keys: number) => boolean;

const manyKeys: Need = ({ bulkChangeAbove }, _, keys) => bulkChangeAbove !== null && keys > bulkChangeAbove;

const NEEDS: Record<ApprovalKind, Need> = {
  account_settings: ({ entitlements }, changes) =>
    entitlements && changes.some(({ after }) => Object.keys(after ?? {}).some((name) => !LABELS.has(name))),
  allow_list_entitlement: ({ entitlements }) => entitlements,
  credits: ({ creditsAbove }, changes) =>
    creditsAbove !== null && changes.some(({ after }) => Number(fieldOf(after, 'amount')) > creditsAbove),
  list_removal: ({ listRemoval }, changes) =>
    listRemoval && changes.some(({ before, after }) => opens(listOf(before), listOf(after))),
  key_restore: ({ listRemoval }, changes) =>
    listRemoval && changes.some(({ after }) => fieldOf(after, 'disable_reason') === 'exposed_publicly'),
  bulk_change: manyKeys,
  bulk_undo: manyKeys,
  bulk_keep: manyKeys,
  key_policy: manyKeys,
  tier_key_policy: manyKeys,
  idle_policy: manyKeys,
  tier_idle_policy: manyKeys,
};

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
  return changes.length > 0 && NEEDS[kind](policy, changes, keys);
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
  const kinds = APPROVAL_KIND_NAMES.filter((kind) => IS_ON[kind](policy));
  return [...new Set(kinds.map((kind) => APPROVAL_KINDS[kind]))].flatMap((permission) => {
    const people = members
      .filter(({ role }) => mayStaff(role, permission))
      .reduce((sum, each) => sum + each.members, 0);
    return people >= 2
      ? []
      : [{ permission, kinds: kinds.filter((kind) => APPROVAL_KINDS[kind] === permission), people }];
  });
}

const isManyOn = ({ bulkChangeAbove }: ApprovalPolicy) => bulkChangeAbove !== null;

/** Whether a kind can wait at all. */
const IS_ON: Record<ApprovalKind, (policy: ApprovalPolicy) => boolean> = {
  account_settings: ({ entitlements }) => entitlements,
  allow_list_entitlement: ({ entitlements }) => entitlements,
  credits: ({ creditsAbove }) => creditsAbove !== null,
  list_removal: ({ listRemoval }) => listRemoval,
  key_restore: ({ listRemoval }) => listRemoval,
  bulk_change: isManyOn,
  bulk_undo: isManyOn,
  bulk_keep: isManyOn,
  key_policy: isManyOn,
  tier_key_policy: isManyOn,
  idle_policy: isManyOn,
  tier_idle_policy: isManyOn,
};

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
