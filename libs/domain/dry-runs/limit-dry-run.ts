import { evaluateTraffic, type EvaluatedTraffic } from './dry-run';

import { DAY_MS } from '../common/utc-days';

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

/** What a number of requests in each window would have done. */
export type RequestsDryRun = EvaluatedTraffic<HourUse> & { refusedAtLeast: number };

const WINDOW_MS = { second: 1_000, minute: 60_000, day: DAY_MS };

/**
 * What a number of requests in each window would have done. Traffic is recorded by hours: an hour is refused for sure when it has more
 * requests than all of the windows between its first and its last could hold, allowed for sure when one window could hold them
 * all, and else not known. For windows of a day the hours of each day, in UTC, count together, as one use at its beginning.
 *
 * @param limit null for none
 * @param hours oldest first
 */
export function dryRunRequests(
  window: keyof typeof WINDOW_MS,
  limit: number | null,
  hours: readonly HourUse[],
): RequestsDryRun {
  const uses = window === 'day' ? toDays(hours) : hours;
  // One more than the span: a window may have begun in the hour before.
  const most = ({ firstAt, lastAt }: HourUse) =>
    (limit ?? Infinity) * (Math.floor((lastAt.getTime() - firstAt.getTime()) / WINDOW_MS[window]) + 2);
  const requestsOn = new Map(uses.map(({ hour, requests }) => [hour.getTime(), requests]));
  // A window of a day that holds requests of one day holds others of the day before.
  const before = ({ hour }: HourUse) =>
    window === 'day' ? (requestsOn.get(hour.getTime() - DAY_MS) ?? 0) : 0;
  const evaluated = evaluateTraffic(uses, (use) => {
    if (limit === null || use.requests + before(use) <= limit) return 'allowed';
    return use.requests > most(use) ? 'refused' : 'undecided';
  });
  const refusedAtLeast = evaluated.refusedUses.reduce((total, use) => total + use.requests - most(use), 0);
  return { ...evaluated, refusedAtLeast };
}

function toDays(hours: readonly HourUse[]): HourUse[] {
  const days = new Map<number, HourUse>();
  for (const { hour, requests, firstAt, lastAt } of hours) {
    const start = hour.getTime() - (hour.getTime() % DAY_MS);
    const day = days.get(start);
    days.set(start, {
      hour: new Date(start),
      requests: requests + (day?.requests ?? 0),
      firstAt: day?.firstAt ?? firstAt,
      lastAt,
    });
  }
  return [...days.values()];
}
