import { DAY_MS } from '../common/utc-days';
import { propertyOf, type CamelCase, type KeyFieldKind, type Kinds } from './key-fields';

/** The longest time that a policy can have. */
const MAX_POLICY_DAYS = 3_650;
const DAYS = { kind: 'count', bounds: { min: 1, max: MAX_POLICY_DAYS } } as const;

interface PolicyField {
  kind: KeyFieldKind;
  bounds: { min: number; max: number };
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

/** Rules as the program has them; what is left out demands nothing. */
export function toRules(rules: Partial<WirePolicyRules>): KeyPolicyRules {
  return Object.fromEntries(
    POLICY_FIELD_NAMES.map((name) => [propertyOf(name), rules[name] ?? null]),
  ) as KeyPolicyRules;
}

/** Rules as the wire has them; those that are left out stay so. */
export function toWireRules<R extends Partial<KeyPolicyRules>>(
  rules: R,
): R extends KeyPolicyRules ? WirePolicyRules : Partial<WirePolicyRules> {
  return Object.fromEntries(
    POLICY_FIELD_NAMES.flatMap((name) => {
      const value = rules[propertyOf(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as WirePolicyRules;
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
