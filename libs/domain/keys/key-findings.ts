import { dayText } from '../common/date-text';
import { grouped, plural } from '../common/sentences';

/** Days of observed traffic that findings are drawn from, see `TRAFFIC_KEPT_DAYS`. */
export const FINDING_TRAFFIC_DAYS = 30;
/** A key or an account that was not used for so many days is idle. */
export const IDLE_DAYS = 90;
/** A secret is old after so many days, where no policy says otherwise. */
export const OLD_SECRET_DAYS = 365;
/** A key that may do everything and used at most so many permissions could have just these. */
export const FEW_PERMISSIONS = 5;
/** A list that lets in at most so many addresses is never too wide: a /22, or some offices. */
export const NARROW_LIST_ADDRESSES = 1_024;
/** A list is far too wide when it lets in so many times the addresses that were seen. */
export const WIDE_LIST_FACTOR = 100;
/** A key that was used from more addresses than this is probably shared. An IPv6 /64 counts as one. */
export const MANY_ADDRESSES = 20;

/**
 * What can be found about an enabled key, worst first where two weigh the same. `weight` is what an open finding takes off
 * the 100 points of its key.
 */
const FINDINGS = {
  idle_account: { title: 'Enabled on an idle or suspended account', weight: 25 },
  idle: { title: `Unused or idle for ${IDLE_DAYS} days`, weight: 20 },
  many_addresses: { title: 'Shared by many addresses', weight: 20 },
  used_in_browser: { title: 'Secret used in a browser', weight: 25 },
  unused_permissions: { title: 'Has every permission and uses few', weight: 15 },
  wide_allow_list: { title: 'Allow-list far wider than what was seen', weight: 15 },
  lifetime_exceeded: { title: 'Works for longer than its policy allows', weight: 15 },
  permissions_exceeded: { title: 'May do more than its policy accepts', weight: 15 },
  allow_list_missing: { title: 'Without the allow-list that its policy requires', weight: 15 },
  old_secret: { title: 'Old secret', weight: 15 },
  unfinished_rotation: { title: 'Rotation not finished', weight: 10 },
  never_expires: { title: 'Never expires', weight: 10 },
  no_credit_limit: { title: 'No credit limit', weight: 10 },
} as const;

export type FindingKind = keyof typeof FINDINGS;

export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

/** What was measured about a key when a finding was computed; each kind has some of it. */
export interface FindingDetail {
  /** ISO 8601; null for never. */
  lastUsedAt?: string | null;
  accountStatus?: string;
  permissionsUsed?: number;
  /** Permissions that its policy does not accept; none for a key that may do everything. */
  permissionsBeyond?: string[];
  addressesSeen?: number;
  /** Addresses that the list lets in; for IPv6, networks of 64 bits. */
  addressesAllowed?: number;
  /** The length of the widest entry of the list. */
  widestPrefix?: number;
  /** ISO 8601. */
  secretCreatedAt?: string;
  maxSecretAgeDays?: number;
  maxLifetimeDays?: number;
  /** ISO 8601: when its policy wants it to expire. */
  latestExpiry?: string;
  /** The page that sent the secret, and when last: an origin and ISO 8601. */
  browserOrigin?: string;
  browserAt?: string;
  /** ISO 8601: when the old secret stops working. */
  retiresAt?: string;
}

export function titleOf(kind: FindingKind): string {
  return FINDINGS[kind].title;
}

export function weightOf(kind: FindingKind): number {
  return FINDINGS[kind].weight;
}

const IN_DAYS = `in ${FINDING_TRAFFIC_DAYS} days`;

const SENTENCES: Record<FindingKind, (detail: FindingDetail) => string> = {
  idle_account: ({ accountStatus }) =>
    accountStatus === 'active'
      ? `No key of its account was used for ${IDLE_DAYS} days.`
      : `Its account is ${accountStatus}.`,
  idle: ({ lastUsedAt }) => (lastUsedAt ? `Last used on ${dayOf(lastUsedAt)}.` : 'Never used.'),
  many_addresses: ({ addressesSeen }) => `Used from ${addresses(addressesSeen)} ${IN_DAYS}.`,
  used_in_browser: ({ browserOrigin, browserAt = '' }) =>
    `A page of ${browserOrigin} sent its secret on ${dayOf(browserAt)}: whoever opens that page can read it there. Give the page single-use tokens, and rotate the key.`,
  unused_permissions: ({ permissionsUsed }) =>
    `May do everything, and used ${count(permissionsUsed, 'permission')} ${IN_DAYS}.`,
  wide_allow_list: ({ widestPrefix, addressesAllowed, addressesSeen }) =>
    `Allows a /${widestPrefix}, ${addresses(addressesAllowed)} in all; seen from ${addresses(addressesSeen)} ${IN_DAYS}.`,
  lifetime_exceeded: ({ maxLifetimeDays, latestExpiry = '' }) =>
    `May work for ${count(maxLifetimeDays, 'day')} from its newest secret on, until ${dayOf(latestExpiry)}.`,
  permissions_exceeded: ({ permissionsBeyond = [] }) =>
    permissionsBeyond.length === 0
      ? 'May do everything, and its policy accepts less.'
      : `Its policy does not accept ${permissionsBeyond.join(', ')}.`,
  allow_list_missing: () => 'It works from any address.',
  old_secret: ({ secretCreatedAt = '', maxSecretAgeDays }) =>
    `Its secret is from ${dayOf(secretCreatedAt)}, and may be ${count(maxSecretAgeDays, 'day')} old.`,
  unfinished_rotation: ({ retiresAt = '' }) =>
    `The old secret is still in use and stops working on ${dayOf(retiresAt)}.`,
  never_expires: () => 'It works until someone disables it.',
  no_credit_limit: () => 'It can spend all the credits of its account.',
};

/** A finding about one key in a sentence. */
export function describeFinding(kind: FindingKind, detail: FindingDetail): string {
  return SENTENCES[kind](detail);
}

function addresses(value?: number): string {
  return count(value, 'address', 'addresses');
}

function dayOf(iso: string): string {
  return dayText(iso, 'UTC');
}

function count(value = 0, one: string, many = `${one}s`): string {
  return plural(value, one, many, grouped);
}
