import { addsNothing, intersectLists, type StoredAllowList } from '../allow-lists/allow-list';
import { formatCidr } from '../addresses/cidr';
import { listed } from '../common/sentences';
import { PERMISSIONS } from './permissions';

/** Generations of keys above a key: a key with so many parent keys creates none. */
export const MAX_PARENT_KEYS = 5;
/** Keys of a service account that are not deleted. */
export const MAX_KEYS_PER_SERVICE_ACCOUNT = 100;
/** Single-use tokens of a key that can still be used. */
export const MAX_LIVE_TOKENS = 1_000;

/** How free a key is, dimension by dimension. */
export interface KeyGrants {
  /** Permission names, or null for all, those included that are added later. */
  readonly permissions: readonly string[] | null;
  /** Credits per billing period, or null for the account's limit only. */
  readonly creditLimit: number | null;
  /** Null lets every address in. */
  readonly allowList: StoredAllowList | null;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAtMs: number | null;
  readonly requestsPerMinute: number;
  /** Generations at once, or null for the account's limit only. */
  readonly concurrencyLimit: number | null;
  /** Ids of the models and of the voices that it may use; null for all. */
  readonly models: readonly string[] | null;
  readonly voices: readonly string[] | null;
}

/** In which dimension a key is freer than another one, and what would be accepted. */
export interface Freer {
  readonly dimension: keyof KeyGrants;
  readonly input: string;
  readonly accepted: string;
}

/** What is too free in `requested`, and what the parent key can give; null when `requested` is not freer than it. */
type Rule = (parentKey: KeyGrants, requested: KeyGrants) => Omit<Freer, 'dimension'> | null;

/** The rule of each dimension, in the order in which they are named; `docs/security.md` has the same table in words. */
const RULES: Record<keyof KeyGrants, Rule> = {
  permissions({ permissions: parentKey }, { permissions: requested }) {
    const input = missing(requested, parentKey);
    return input === null ? null : { input, accepted: parentKey?.join(', ') || 'none' };
  },
  creditLimit({ creditLimit: parentKey }, { creditLimit: requested }) {
    if (!exceeds(requested, parentKey)) return null;
    return { input: requested === null ? 'no limit' : String(requested), accepted: `0 to ${parentKey}` };
  },
  allowList({ allowList: parentKey }, { allowList: requested }) {
    if (parentKey === null || (requested && addsNothing(requested.entries, parentKey.entries))) return null;
    const input = requested ? entriesOf(requested) : 'no list';
    return { input, accepted: `a list of addresses within ${entriesOf(parentKey)}` };
  },
  expiresAtMs({ expiresAtMs: parentKey }, { expiresAtMs: requested }) {
    if (!exceeds(requested, parentKey)) return null;
    return { input: instant(requested), accepted: `${instant(parentKey)} or earlier` };
  },
  requestsPerMinute({ requestsPerMinute: parentKey }, { requestsPerMinute: requested }) {
    return requested > parentKey ? { input: String(requested), accepted: `at most ${parentKey}` } : null;
  },
  concurrencyLimit({ concurrencyLimit: parentKey }, { concurrencyLimit: requested }) {
    if (!exceeds(requested, parentKey)) return null;
    return { input: requested === null ? 'no limit' : String(requested), accepted: `at most ${parentKey}` };
  },
  models: ({ models: parentKey }, { models: requested }) => beyond(requested, parentKey),
  voices: ({ voices: parentKey }, { voices: requested }) => beyond(requested, parentKey),
};

const DIMENSIONS = Object.keys(RULES) as (keyof KeyGrants)[];

/** The first dimension in which a key is freer than its parent key, or than the key that wants to change it; null for none. */
export function freerThan(parentKey: KeyGrants, requested: KeyGrants): Freer | null {
  for (const dimension of DIMENSIONS) {
    const excess = RULES[dimension](parentKey, requested);
    if (excess) return { dimension, ...excess };
  }
  return null;
}

/** What a key may do while it has these parent keys: at most what each of them may do, even if more is stored for it. */
export function narrowed(own: KeyGrants, parentKeys: readonly KeyGrants[]): KeyGrants {
  return parentKeys.reduce(
    (free, parentKey) => ({
      permissions: both(free.permissions, parentKey.permissions, shared),
      creditLimit: both(free.creditLimit, parentKey.creditLimit, Math.min),
      allowList: both(free.allowList, parentKey.allowList, intersectLists),
      expiresAtMs: both(free.expiresAtMs, parentKey.expiresAtMs, Math.min),
      requestsPerMinute: Math.min(free.requestsPerMinute, parentKey.requestsPerMinute),
      concurrencyLimit: both(free.concurrencyLimit, parentKey.concurrencyLimit, Math.min),
      models: both(free.models, parentKey.models, shared),
      voices: both(free.voices, parentKey.voices, shared),
    }),
    own,
  );
}

/**
 * What a key may give to a key that it changes. A key that it has not created spends from another allowance: a limited key
 * gives that one no more credits than it has.
 */
export function givable(caller: KeyGrants, target: KeyGrants, createdByCaller: boolean): KeyGrants {
  if (createdByCaller || caller.creditLimit === null) return caller;
  return { ...caller, creditLimit: target.creditLimit };
}

/** What is left of two limits, null being none. */
function both<T>(a: T | null, b: T | null, smaller: (a: T, b: T) => T): T | null {
  return a === null || b === null ? (a ?? b) : smaller(a, b);
}

function shared(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((name) => b.includes(name));
}

/** What a list of ids has beyond another, null being all of them. */
function beyond(
  requested: readonly string[] | null,
  parentKey: readonly string[] | null,
): Omit<Freer, 'dimension'> | null {
  if (parentKey === null) return null;
  const input = requested === null ? 'all' : requested.find((id) => !parentKey.includes(id));
  return input === undefined ? null : { input, accepted: listed(parentKey) };
}

/** Compares limits, null being none. */
function exceeds(requested: number | null, parentKey: number | null): boolean {
  return parentKey !== null && (requested === null || requested > parentKey);
}

/** The first permission, in the order of the table, that one key has and the other does not. */
function missing(requested: readonly string[] | null, parentKey: readonly string[] | null): string | null {
  if (parentKey === null) return null;
  // A list of every permission is not all of them: those that are added later are missing.
  if (requested === null) return 'all';
  return PERMISSIONS.find((name) => requested.includes(name) && !parentKey.includes(name)) ?? null;
}

function entriesOf({ entries }: StoredAllowList): string {
  const texts = entries.map(
    ({ cidr, endsAtMs }) => `${formatCidr(cidr)}${endsAtMs === null ? '' : ` until ${instant(endsAtMs)}`}`,
  );
  return listed(texts);
}

function instant(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
