import { isoDay } from './chart-places';

const DAY_MS = 86_400_000;
const MONTHS = 3;

export const SPANS = ['last 30 days', 'last 90 days', 'current quarter', 'last quarter'] as const;
export type Span = (typeof SPANS)[number];

/** The first and the last day of a span, in UTC; a quarter is one of the calendar, and the current one ends today. */
export function spanDays(span: Span, now: number): { from: string; to: string } {
  if (span === 'last 30 days') return { from: isoDay(now - 29 * DAY_MS), to: isoDay(now) };
  if (span === 'last 90 days') return { from: isoDay(now - 89 * DAY_MS), to: isoDay(now) };
  const today = new Date(now);
  const first = today.getUTCMonth() - (today.getUTCMonth() % MONTHS);
  const begin = (month: number) => Date.UTC(today.getUTCFullYear(), month, 1);
  if (span === 'current quarter') return { from: isoDay(begin(first)), to: isoDay(now) };
  return { from: isoDay(begin(first - MONTHS)), to: isoDay(begin(first) - DAY_MS) };
}
