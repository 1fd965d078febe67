/** What an account or a key has of a billing period, in credits. */
export interface PeriodBalance {
  /** Null for no limit. */
  readonly creditLimit: number | null;
  /** Beyond the limit. */
  readonly granted: number;
  /** With what is held. */
  readonly used: number;
}

/** The credits that may be used in the period; null for no limit. The SQL function `usable_credits` is the same. */
export function usableCredits({
  creditLimit,
  granted,
}: Pick<PeriodBalance, 'creditLimit' | 'granted'>): number | null {
  return creditLimit === null ? null : creditLimit + granted;
}

/** The credits that are left, below zero when the limit was lowered since; null for no limit. As the SQL function `credits_left`. */
export function creditsLeft(balance: PeriodBalance): number | null {
  const usable = usableCredits(balance);
  return usable === null ? null : usable - balance.used;
}

/** The same as people and programs read it: nothing is left of a limit that was lowered below what is used. */
export function shownCreditsLeft(balance: PeriodBalance): number | null {
  const left = creditsLeft(balance);
  return left === null ? null : Math.max(0, left);
}
