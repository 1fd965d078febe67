import { addsNothing, intersectLists, type StoredAllowList } from '../allow-lists/allow-list';
import { formatCidr } from '../addresses/cidr';
import { PERMISSIONS } from './permissions';

/** Generations of keys above a key: a key with so many makers creates none. */
export const MAX_MAKERS = 5;
/** Keys of a service account that are not deleted. */
export const MAX_KEYS_PER_SERVICE_ACCOUNT = 100;
/** Single-use tokens of a key that can still be used. */
export const MAX_LIVE_TOKENS = 1_000;

/** How free a key is, dimension by dimension. */
export interface KeyFreedom {
  /** Permission names, or null for all, those included that are added later. */
  readonly permissions: readonly string[] | null;
  /** Credits per billing period, or null for the account's limit only. */
  readonly creditLimit: number | null;
  /** Null lets every address in. */
  readonly allowList: StoredAllowList | null;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAtMs: number | null;
  readonly requestsPerMinute: number;
}

/** In which dimension a key is freer than another one, and what would be accepted. */
export interface Freer {
  readonly dimension: keyof KeyFreedom;
  readonly given: string;
  readonly accepted: string;
}

/** What is too free in `wanted`, and what the maker can give; null when `wanted` is not freer than the maker. */
type Rule = (maker: KeyFreedom, requested: KeyFreedom) => Omit<Freer, 'dimension'> | null;

/** The rule of each dimension, in the order in which they are named; `docs/security.md` has the same table in words. */
const RULES: Record<keyof KeyFreedom, Rule> = {
  permissions({ permissions: maker }, { permissions: requested }) {
    const given = missing(requested, maker);
    return given === null ? null : { given, accepted: maker?.join(', ') || 'none' };
  },
  creditLimit({ creditLimit: maker }, { creditLimit: requested }) {
    if (!exceeds(requested, maker)) return null;
    return { given: requested === null ? 'no limit' : String(requested), accepted: `0 to ${maker}` };
  },
  allowList({ allowList: maker }, { allowList: requested }) {
    if (maker === null || (requested && addsNothing(requested.entries, maker.entries))) return null;
    const given = requested ? entriesOf(requested) : 'no list';
    return { given, accepted: `a list of addresses within ${entriesOf(maker)}` };
  },
  expiresAtMs({ expiresAtMs: maker }, { expiresAtMs: requested }) {
    if (!exceeds(requested, maker)) return null;
    return { given: instant(requested), accepted: `${instant(maker)} or earlier` };
  },
  requestsPerMinute({ requestsPerMinute: maker }, { requestsPerMinute: requested }) {
    return requested > maker ? { given: String(requested), accepted: `at most ${maker}` } : null;
  },
};

const DIMENSIONS = Object.keys(RULES) as (keyof KeyFreedom)[];

/** The first dimension in which a key is freer than its maker, or than the key that wants to change it; null for none. */
export function freerThan(maker: KeyFreedom, requested: KeyFreedom): Freer | null {
  for (const dimension of DIMENSIONS) {
    const excess = RULES[dimension](maker, requested);
    if (excess) return { dimension, ...excess };
  }
  return null;
}

/** What a key may do while it has these makers: at most what each of them may do, even if more is stored for it. */
export function narrowed(own: KeyFreedom, makers: readonly KeyFreedom[]): KeyFreedom {
  return makers.reduce(
    (free, maker) => ({
      permissions: both(free.permissions, maker.permissions, (a, b) => a.filter((name) => b.includes(name))),
      creditLimit: both(free.creditLimit, maker.creditLimit, Math.min),
      allowList: both(free.allowList, maker.allowList, intersectLists),
      expiresAtMs: both(free.expiresAtMs, maker.expiresAtMs, Math.min),
      requestsPerMinute: Math.min(free.requestsPerMinute, maker.requestsPerMinute),
    }),
    own,
  );
}

/**
 * What a key may give to a key that it changes. A key that it has not created spends from another allowance: a limited key
 * gives that one no more credits than it has.
 */
export function givable(caller: KeyFreedom, target: KeyFreedom, createdByCaller: boolean): KeyFreedom {
  if (createdByCaller || caller.creditLimit === null) return caller;
  return { ...caller, creditLimit: target.creditLimit };
}

/** What is left of two limits, null being none. */
function both<T>(a: T | null, b: T | null, smaller: (a: T, b: T) => T): T | null {
  return a === null || b === null ? (a ?? b) : smaller(a, b);
}

/** Compares limits, null being none. */
function exceeds(requested: number | null, maker: number | null): boolean {
  return maker !== null && (requested === null || requested > maker);
}

/** The first permission, in the order of the table, that one key has and the other does not. */
function missing(requested: readonly string[] | null, maker: readonly string[] | null): string | null {
  if (maker === null) return null;
  // A list of every permission is not all of them: those that are added later are missing.
  if (requested === null) return 'all';
  return PERMISSIONS.find((name) => requested.includes(name) && !maker.includes(name)) ?? null;
}

const SHOWN_ENTRIES = 10;

function entriesOf({ entries }: StoredAllowList): string {
  const texts = entries.map(
    ({ cidr, endsAtMs }) => `${formatCidr(cidr)}${endsAtMs === null ? '' : ` until ${instant(endsAtMs)}`}`,
  );
  const more = texts.length - SHOWN_ENTRIES;
  return `${texts.slice(0, SHOWN_ENTRIES).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

function instant(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
