import { DAY_MS } from '../common/utc-days';

/** What an account has used lately, and how long that took. */
interface RecentUse {
  credits: number;
  ms: number;
}

interface PeriodCredits {
  left: number;
  /** With what is held. */
  used: number;
  periodEnd: Date;
}

export interface CreditForecast {
  /** Credits a day, as used lately. */
  perDay: number;
  /** What the period will have cost at its end, beyond the limit if need be. */
  usedAtPeriodEnd: number;
  /** When nothing is left; null when that is not within the period. */
  runsOutAt: Date | null;
}

/** Where the credits of a billing period lead to when the account continues as it did lately. */
export function forecastCredits(
  { left, used, periodEnd }: PeriodCredits,
  recent: RecentUse,
  now: Date,
): CreditForecast {
  const perMs = Math.max(0, recent.credits) / recent.ms;
  const leftMs = Math.max(0, periodEnd.getTime() - now.getTime());
  return {
    perDay: Math.round(perMs * DAY_MS),
    usedAtPeriodEnd: Math.round(used + perMs * leftMs),
    runsOutAt: runsOutAt(left, perMs, leftMs, now),
  };
}

function runsOutAt(left: number, perMs: number, leftMs: number, now: Date): Date | null {
  if (left <= 0) return now;
  const ms = left / perMs;
  return ms < leftMs ? new Date(now.getTime() + ms) : null;
}

const MAX_RECENT_MS = 7 * DAY_MS;

/**
 * How far a forecast looks back, in milliseconds: a week, less for an account that is younger, and at least a day, so that
 * one busy hour of a new account does not make a forecast.
 */
export function recentMs(openedAt: Date, now: Date): number {
  return Math.min(MAX_RECENT_MS, Math.max(DAY_MS, now.getTime() - openedAt.getTime()));
}
