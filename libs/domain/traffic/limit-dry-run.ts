import { evaluateTraffic, type EvaluatedTraffic } from './dry-run';

const MINUTE_MS = 60_000;

/** What a key spent on one day of one billing period. */
export interface DaySpending {
  /** In UTC, as 2026-01-31. */
  day: string;
  /** When the billing period of the charges began. */
  periodStart: Date;
  credits: number;
}

/** What a limit of credits would have done. */
export interface CreditDryRun {
  /** Days on which something was spent. */
  daysSpent: number;
  /** Days on which the limit would have refused something, oldest first. */
  stoppedDays: string[];
  /** Credits that were spent beyond it. */
  beyond: number;
}

/**
 * What a limit of credits for each billing period would have done: a day is stopped when more was spent by its end, since the
 * period began, than the limit allows.
 *
 * @param spending from the beginning of the billing period that `from` lies in, in any order
 * @param from the first day that counts
 * @param limit null for none
 */
export function dryRunCreditLimit(
  spending: readonly DaySpending[],
  limit: number | null,
  from: string,
): CreditDryRun {
  const spent = new Map<number, number>();
  const [stopped, days] = [new Set<string>(), new Set<string>()];
  let beyond = 0;
  for (const { day, periodStart, credits } of spending.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const before = spent.get(periodStart.getTime()) ?? 0;
    const after = before + credits;
    spent.set(periodStart.getTime(), after);
    if (day < from || credits <= 0) continue;
    days.add(day);
    if (limit === null || after <= limit) continue;
    stopped.add(day);
    beyond += after - Math.max(limit, before);
  }
  return { daysSpent: days.size, stoppedDays: [...stopped], beyond };
}

/** Requests of one hour that were counted against the limit for a minute. */
export interface HourUse {
  hour: Date;
  requests: number;
  firstAt: Date;
  lastAt: Date;
}

/**
 * What a number of requests a minute would have done. Traffic is recorded by hours: an hour is refused for sure when it has more
 * requests than all of the minutes between its first and its last could hold, allowed for sure when one minute could hold them
 * all, and else not known.
 *
 * @param limit null for none
 */
export function dryRunRequestsPerMinute(
  limit: number | null,
  hours: readonly HourUse[],
): EvaluatedTraffic<HourUse> & { refusedAtLeast: number } {
  // One more than the span: a minute may have begun in the hour before.
  const most = ({ firstAt, lastAt }: HourUse) =>
    (limit ?? Infinity) * (Math.floor((lastAt.getTime() - firstAt.getTime()) / MINUTE_MS) + 2);
  const evaluated = evaluateTraffic(hours, (hour) => {
    if (limit === null || hour.requests <= limit) return 'allowed';
    return hour.requests > most(hour) ? 'refused' : 'undecided';
  });
  const refusedAtLeast = evaluated.refusedUses.reduce((total, hour) => total + hour.requests - most(hour), 0);
  return { ...evaluated, refusedAtLeast };
}
