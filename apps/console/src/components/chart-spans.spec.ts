import { spanDays, type Span } from './chart-spans';

it.each<[Span, string, string, string]>([
  ['last 30 days', '2026-03-01T00:30:00Z', '2026-01-31', '2026-03-01'],
  ['last 90 days', '2026-03-01T23:30:00Z', '2025-12-02', '2026-03-01'],
  ['current quarter', '2026-11-23T12:00:00Z', '2026-10-01', '2026-11-23'],
  ['current quarter', '2026-01-01T00:00:00Z', '2026-01-01', '2026-01-01'],
  ['last quarter', '2026-11-23T12:00:00Z', '2026-07-01', '2026-09-30'],
  ['last quarter', '2026-02-10T12:00:00Z', '2025-10-01', '2025-12-31'],
  ['current month', '2026-02-10T12:00:00Z', '2026-02-01', '2026-02-10'],
  ['last month', '2026-01-31T23:00:00Z', '2025-12-01', '2025-12-31'],
  ['current billing period', '2026-02-10T12:00:00Z', '2026-01-29', '2026-02-10'],
  ['last billing period', '2026-02-10T12:00:00Z', '2025-12-30', '2026-01-28'],
])('the %s at %s are %s to %s', (span, now, from, to) => {
  const periods = ['2026-01-29T08:00:00Z', '2025-12-30T08:00:00Z'];
  expect(spanDays(span, Date.parse(now), periods)).toEqual({ from, to });
});
