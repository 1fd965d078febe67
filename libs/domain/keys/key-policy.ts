import { DAY_MS } from '../common/utc-days';
/** What a tier or an account demands of its keys; null demands nothing. The policy of an account replaces that of its tier. */
export interface KeyPolicyRules {
  /** Days that a key may work from its newest secret on. */
  maxLifetimeDays: number | null;
  /** Days after which a key should have a new secret. */
  rotationAgeDays: number | null;
  /** Days without a request after which people are warned. */
  idleWarnDays: number | null;
  /** Days from the warning to the end of a key that was not used since; null only warns. */
  idleDisableDays: number | null;
}

/** The rules of a policy, and nothing else of it. */
export function rulesOf({
  maxLifetimeDays,
  rotationAgeDays,
  idleWarnDays,
  idleDisableDays,
}: KeyPolicyRules): KeyPolicyRules {
  return { maxLifetimeDays, rotationAgeDays, idleWarnDays, idleDisableDays };
}

/** The longest time that a policy can have. */
export const MAX_POLICY_DAYS = 3_650;

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
  field: keyof KeyPolicyRules;
  accepted: string;
}[] {
  if (idleDisableDays === null || idleWarnDays !== null) return [];
  return [
    { field: 'idleDisableDays', accepted: 'null, or come with idle_warn_days: people are warned first' },
  ];
}
