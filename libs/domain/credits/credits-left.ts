/** What an account or a key has of a billing period, in credits. */
export interface PeriodBalance {
  /** Null for no limit. */
  readonly creditLimit: number | null;
  /** Beyond the limit. */
  readonly granted: number;
  /** With what is held. */
  readonly used: number;
  /** Left of the prepaid grants of an account, behind what the period has; 0 where it is not named. */
  readonly prepaid?: number;
}

/** The credits that may be used in the period, prepaid ones among them; null for no limit. As the SQL function `usable_credits`. */
export function usableCredits({
  creditLimit,
  granted,
  prepaid = 0,
}: Pick<PeriodBalance, 'creditLimit' | 'granted' | 'prepaid'>): number | null {
  return creditLimit === null ? null : creditLimit + granted + prepaid;
}

/** The credits that are left, below zero when the limit was lowered since; null for no limit. As the SQL functions `credits_left` and `credits_at_hand`. */
export function creditsLeft({ prepaid = 0, ...period }: PeriodBalance): number | null {
  const usable = usableCredits(period);
  if (usable === null) return null;
  const left = usable - period.used;
  return prepaid > 0 ? Math.max(0, left) + prepaid : left;
}

/** The same as people and programs read it: nothing is left of a limit that was lowered below what is used. */
export function shownCreditsLeft(balance: PeriodBalance): number | null {
  const left = creditsLeft(balance);
  return left === null ? null : Math.max(0, left);
}
