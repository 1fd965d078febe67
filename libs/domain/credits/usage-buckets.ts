import { DAY_MS } from '../common/utc-days';
/** Spans of time that usage is summed over; `cumulative` is the whole range at once. */
export const USAGE_INTERVALS = ['hour', 'day', 'week', 'month', 'cumulative'] as const;
export type UsageInterval = (typeof USAGE_INTERVALS)[number];

/** More than that would not be an overview, and a large response. */
export const MAX_BUCKETS = 10_000;

const HOUR_MS = 3_600_000;
/** 1 January 1970 was a Thursday; weeks begin on Monday (ISO 8601). */
const FIRST_MONDAY_MS = -3 * DAY_MS;

/**
 * The starts of the spans that a range lies in, in milliseconds since 1970, UTC. The first one may begin before the range.
 *
 * @param interval a named span, or a length in seconds
 * @returns null when there would be more than MAX_BUCKETS
 */
export function bucketStarts(
  startMs: number,
  endMs: number,
  interval: UsageInterval | number,
): number[] | null {
  if (startMs >= endMs) return [];
  if (interval === 'cumulative') return [startMs];
  const starts: number[] = [];
  for (let at = floor(startMs, interval); at < endMs; at = next(at, interval)) {
    if (starts.push(at) > MAX_BUCKETS) return null;
  }
  return starts;
}

/**
 * The spans of a range. One with too many begins with the account's first day instead: programs that want everything start
 * in 1970.
 *
 * @param openedAtMs when the account was opened, in milliseconds since 1970
 * @returns null when there are still more than MAX_BUCKETS
 */
export function spansOf(
  startMs: number,
  endMs: number,
  interval: UsageInterval | number,
  openedAtMs: number,
): { fromMs: number; starts: number[] } | null {
  const whole = bucketStarts(startMs, endMs, interval);
  if (whole) return { fromMs: startMs, starts: whole };
  const fromMs = Math.max(startMs, Math.floor(openedAtMs / DAY_MS) * DAY_MS);
  const starts = bucketStarts(fromMs, endMs, interval);
  return starts && { fromMs, starts };
}

type Span = Exclude<UsageInterval, 'cumulative'> | number;

const LENGTHS_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };

function lengthOf(span: Exclude<Span, 'month'>): number {
  return typeof span === 'number' ? span * 1_000 : LENGTHS_MS[span];
}

function floor(ms: number, span: Span): number {
  if (span === 'month') return monthOf(ms, 0);
  const [length, origin] = [lengthOf(span), span === 'week' ? FIRST_MONDAY_MS : 0];
  return Math.floor((ms - origin) / length) * length + origin;
}

function next(ms: number, span: Span): number {
  return span === 'month' ? monthOf(ms, 1) : ms + lengthOf(span);
}

function monthOf(ms: number, ahead: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead);
}
