import { creditsLeft, usableCredits, type PeriodBalance } from './credits-left';

/** The kinds of adjustments that staff make: a grant, or a correction of what was used. */
export type AdjustmentKind = 'grant' | 'adjustment';

export const ADJUSTMENT_KINDS: readonly AdjustmentKind[] = ['grant', 'adjustment'];

/** What staff give or take: an adjustment of the billing period, or prepaid credits, which do not end with it. */
export const CREDIT_KINDS = [...ADJUSTMENT_KINDS, 'prepaid'] as const;

export type CreditKind = (typeof CREDIT_KINDS)[number];

/** Prepaid grants of an account of which something is left, at most. */
export const MAX_PREPAID_GRANTS = 100;

/** What the bounds of an adjustment depend on, in credits of the current period. */
interface AdjustableCredits extends PeriodBalance {
  readonly held: number;
}

/**
 * The amounts that an adjustment may have, both included; positive ones give credits.
 *
 * A grant only gives, beyond the limit. An adjustment corrects what was used: it gives back at most what was used for good,
 * and takes at most what is left.
 */
export function adjustmentBounds(
  kind: AdjustmentKind,
  credits: AdjustableCredits,
): { min: number; max: number } {
  if (kind === 'grant') {
    const usable = usableCredits(credits) ?? credits.granted;
    return { min: 1, max: Math.max(0, Number.MAX_SAFE_INTEGER - usable) };
  }
  // Of the period only: prepaid credits are for charges.
  const left = creditsLeft({ ...credits, prepaid: 0 }) ?? Number.MAX_SAFE_INTEGER - credits.used;
  return { min: Math.min(0, -left), max: credits.used - credits.held };
}
