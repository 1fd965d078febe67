import { DAY_MS } from '../common/utc-days';
/** The longest time, in days, that an old secret may work beside the new one. */
export const MAX_OVERLAP_DAYS = 30;

export const ROTATION_CAUSES = ['scheduled', 'leaked'] as const;
export type RotationCause = (typeof ROTATION_CAUSES)[number];

/** Days that the old secret works beside the new one, unless a rotation says otherwise: a leaked one stops at once. */
const DEFAULT_OVERLAP_DAYS: Record<RotationCause, number> = { scheduled: 7, leaked: 0 };

/** The overlap of a rotation that names none. A reason that begins with the word “leaked” is that cause. */
export function defaultOverlapDays(cause: RotationCause | undefined, reason: string): number {
  return DEFAULT_OVERLAP_DAYS[cause ?? (/^\s*leaked\b/i.test(reason) ? 'leaked' : 'scheduled')];
}

/** What the rule needs to know of a secret. `retiresAt` null: the current one. */
export interface SecretTerm {
  readonly number: number;
  readonly retiresAt: Date | null;
}

export type SecretState = 'current' | 'retiring' | 'retired';

export function secretState({ retiresAt }: SecretTerm, now: Date): SecretState {
  if (retiresAt === null) return 'current';
  return retiresAt > now ? 'retiring' : 'retired';
}

type RotationPlan =
  | { ok: true; number: number; retiresAt: Date }
  | { ok: false; reason: 'rotation_in_progress'; retiring: SecretTerm };

/**
 * Plans a rotation: the number of the new secret, and when every older one stops working.
 *
 * At most two secrets work at a time. Without overlap all older ones stop at once, which is what a leak needs; with
 * overlap a rotation must not cut an earlier one short.
 *
 * @param secrets all secrets of the key, in any order
 * @param overlapDays 0 to `MAX_OVERLAP_DAYS`, fractions allowed
 */
export function planRotation(secrets: readonly SecretTerm[], overlapDays: number, now: Date): RotationPlan {
  const retiring = secrets.find((secret) => secretState(secret, now) === 'retiring');
  if (retiring && overlapDays > 0) return { ok: false, reason: 'rotation_in_progress', retiring };
  const newest = Math.max(0, ...secrets.map((secret) => secret.number));
  return { ok: true, number: newest + 1, retiresAt: new Date(now.getTime() + overlapDays * DAY_MS) };
}

/**
 * A sentence about the secret before the current one.
 *
 * @param works whether the key is accepted now: its secrets work no longer than it does
 */
export function describeRetiring({ retiresAt }: SecretTerm, expiresAt: Date | null, works: boolean): string {
  const ends = [retiresAt, expiresAt].flatMap((time) => (time ? [time.getTime()] : []));
  const until = new Date(Math.min(...ends)).toISOString();
  return works
    ? `The secret before this one still works until ${until}.`
    : `No secret of this key works now; the one before this one works again, until ${until}, once the key does.`;
}
