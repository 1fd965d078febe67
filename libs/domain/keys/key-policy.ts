import { DAY_MS } from '../common/utc-days';
import { storedPermissions } from './key-field-checks';
import { propertyOf, type CamelCase } from '../common/property-name';
import { KEY_FIELDS, type Kinds } from './key-fields';

/** The longest time that a policy can have. */
const MAX_POLICY_DAYS = 3_650;
const DAYS = { kind: 'count', bounds: { min: 1, max: MAX_POLICY_DAYS } } as const;

const NEW_KEY_HINT = 'Where a new key comes without.';

interface PolicyField {
  kind: 'count' | 'permissions' | 'flag';
  /** Null where the kind says it. */
  bounds: { min: number; max: number } | null;
  /** What staff call it. */
  label: string;
  /** What staff read below its field. */
  hint: string;
}

/**
 * What a policy demands, a row for each; null demands nothing. Whatever handles policies reads this table, the description of the API its
 * comments. The name of a row is that of the column, the wire, the audit log and the file of settings; TypeScript has it in camelCase.
 */
export const POLICY_FIELDS = {
  /** Days that a key may work from its newest secret on; null for any time. */
  max_lifetime_days: {
    ...DAYS,
    label: 'Longest lifetime (days)',
    hint: 'From the newest secret of a key on.',
  },
  /** Days after which a key should have a new secret. */
  rotation_age_days: { ...DAYS, label: 'Rotation age (days)', hint: 'Then a key should have a new secret.' },
  /** Days without a request after which people are warned. */
  idle_warn_days: { ...DAYS, label: 'Warn when idle (days)', hint: 'Days without a request.' },
  /** Days from the warning on after which a key that was not used is disabled; null only warns. */
  idle_disable_days: {
    ...DAYS,
    label: 'Disable after the warning (days)',
    hint: 'Empty: people are only warned.',
  },
  /** Permissions that a key may have at most; `all` for any. */
  permissions: {
    kind: 'permissions',
    bounds: null,
    label: 'Permissions at most',
    hint: 'What a key may have at most.',
  },
  /** Whether each key needs an allow-list of its own. */
  allow_list_required: {
    kind: 'flag',
    bounds: null,
    label: 'Allow-list',
    hint: 'Whether each key needs one.',
  },
  /** Days after which a new key expires that comes without an expiry. */
  new_key_days: { ...DAYS, label: 'New keys expire after (days)', hint: NEW_KEY_HINT },
  /** Credits a period of a new key that comes without a limit. */
  new_key_credit_limit: {
    kind: 'count',
    bounds: KEY_FIELDS.credit_limit.bounds,
    label: 'Credits a period of new keys',
    hint: NEW_KEY_HINT,
  },
  /** Requests a minute of a new key that comes without a limit. */
  new_key_requests_per_minute: {
    kind: 'count',
    bounds: KEY_FIELDS.requests_per_minute.bounds,
    label: 'Requests a minute of new keys',
    hint: NEW_KEY_HINT,
  },
  /** Generations at once of a new key that comes without a limit. */
  new_key_concurrency_limit: {
    kind: 'count',
    bounds: KEY_FIELDS.concurrency_limit.bounds,
    label: 'Generations at once of new keys',
    hint: NEW_KEY_HINT,
  },
} as const satisfies Record<string, PolicyField>;

export type PolicyFieldName = keyof typeof POLICY_FIELDS;
type KindOf<N extends PolicyFieldName> = Kinds[(typeof POLICY_FIELDS)[N]['kind']];

/** What a tier or an account demands of its keys. The policy of an account replaces that of its tier. */
export type KeyPolicyRules = { [N in PolicyFieldName as CamelCase<N>]: KindOf<N>['stored'] };
/** The same on the wire, in the audit log and in the file of settings. */
export type WirePolicyRules = { -readonly [N in keyof typeof POLICY_FIELDS]: KindOf<N>['wire'] };

export const POLICY_FIELD_NAMES = Object.keys(POLICY_FIELDS) as PolicyFieldName[];

/** Demands nothing. */
export const NO_RULES = toRules({});

/** The rules of a policy, and nothing else of it. */
export function rulesOf(policy: KeyPolicyRules): KeyPolicyRules {
  return toRules(toWireRules(policy));
}

/** Rules as the program has them; what is left out, or null, demands nothing. */
export function toRules(rules: { [N in PolicyFieldName]?: WirePolicyRules[N] | null }): KeyPolicyRules {
  const { permissions = null } = rules;
  return Object.fromEntries(
    POLICY_FIELD_NAMES.map((name) => [
      propertyOf(name),
      name === 'permissions' ? permissions && storedPermissions(permissions) : (rules[name] ?? null),
    ]),
  ) as unknown as KeyPolicyRules;
}

/** Rules as the wire has them; those that are left out stay so. */
export function toWireRules<R extends Partial<KeyPolicyRules>>(
  rules: R,
): R extends KeyPolicyRules ? WirePolicyRules : Partial<WirePolicyRules> {
  return Object.fromEntries(
    POLICY_FIELD_NAMES.flatMap((name) => {
      const value = rules[propertyOf(name)];
      if (value === undefined) return [];
      return [[name, name === 'permissions' ? (value ?? 'all') : value]];
    }),
  ) as unknown as WirePolicyRules;
}

/** How long a key that is older already keeps working when its policy is applied, unless staff say otherwise. */
export const GRACE_DAYS = 30;

/** When a key must expire at the latest; null when its policy demands nothing. */
export function latestExpiry(rules: KeyPolicyRules | null, secretCreatedAt: Date): Date | null {
  const days = rules?.maxLifetimeDays ?? null;
  return days === null ? null : new Date(secretCreatedAt.getTime() + days * DAY_MS);
}

/** Whether an expiry, or none, is later than a policy allows. */
export function isBeyond(expiresAt: Date | null, latest: Date | null): boolean {
  return latest !== null && (expiresAt === null || expiresAt > latest);
}

/** The expiry of a new key that comes without one; null for none. */
export function firstExpiry(rules: KeyPolicyRules | null, now: Date): Date | null {
  const latest = latestExpiry(rules, now);
  const days = rules?.newKeyDays ?? null;
  if (days === null) return latest;
  const first = new Date(now.getTime() + days * DAY_MS);
  return latest !== null && latest < first ? latest : first;
}

/**
 * Permissions that a policy does not let a key have.
 *
 * @param permissions null for all
 * @param present what the key has already, and may keep; null for all
 */
export function permissionsBeyond(
  rules: KeyPolicyRules | null,
  permissions: readonly string[] | null,
  present: readonly string[] | null = [],
): readonly string[] | 'all' {
  const allowed = rules?.permissions ?? null;
  if (allowed === null || present === null) return [];
  if (permissions === null) return 'all';
  return permissions.filter((name) => !allowed.includes(name) && !present.includes(name));
}

/** Whether rules disable idle keys that other rules do not disable, or disable earlier. Null demands nothing. */
export function disablesMore(rules: KeyPolicyRules | null, former: KeyPolicyRules | null): boolean {
  if (rules === null || rules.idleWarnDays === null || rules.idleDisableDays === null) return false;
  if (former === null || former.idleWarnDays === null || former.idleDisableDays === null) return true;
  return rules.idleWarnDays < former.idleWarnDays || rules.idleDisableDays < former.idleDisableDays;
}

/** Fields of a policy that contradict each other, with why. */
export function policyProblems({ idleWarnDays, idleDisableDays }: KeyPolicyRules): {
  field: PolicyFieldName;
  accepted: string;
}[] {
  if (idleDisableDays === null || idleWarnDays !== null) return [];
  return [
    { field: 'idle_disable_days', accepted: 'null, or come with idle_warn_days: people are warned first' },
  ];
}
