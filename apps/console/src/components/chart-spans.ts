import { DAY_MS, utcDay } from '@app/domain/common/utc-days';

const MONTHS = 3;

export const SPANS = [
  'last 30 days',
  'last 90 days',
  'current month',
  'last month',
  'current quarter',
  'last quarter',
  'current billing period',
  'last billing period',
] as const;
export type Span = (typeof SPANS)[number];

/**
 * The first and the last day of a span, in UTC. Months and quarters are those of the calendar; what is current ends today.
 *
 * @param periods when billing periods of the account began, the newest first
 */
export function spanDays(span: Span, now: number, periods: readonly string[]): { from: string; to: string } {
  const until = (from: number, end?: number) => ({
    from: utcDay(from),
    to: utcDay(end === undefined ? now : end - DAY_MS),
  });
  const today = new Date(now);
  const begin = (month: number) => Date.UTC(today.getUTCFullYear(), month, 1);
  const month = today.getUTCMonth();
  const quarter = month - (month % MONTHS);
  const [period = now, earlier = period - 30 * DAY_MS] = periods.map((start) => Date.parse(start));
  return {
    'last 30 days': until(now - 29 * DAY_MS),
    'last 90 days': until(now - 89 * DAY_MS),
    'current month': until(begin(month)),
    'last month': until(begin(month - 1), begin(month)),
    'current quarter': until(begin(quarter)),
    'last quarter': until(begin(quarter - MONTHS), begin(quarter)),
    'current billing period': until(period),
    'last billing period': until(earlier, period),
  }[span];
}
