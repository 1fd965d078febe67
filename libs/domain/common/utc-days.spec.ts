import { lastDays } from './utc-days';

it.each([
  ['2026-11-22T00:00:00.000Z', 1, '2026-11-22', '2026-11-22'],
  ['2026-11-22T23:59:59.999Z', 2, '2026-11-21', '2026-11-22'],
  ['2026-03-01T12:00:00.000Z', 30, '2026-01-31', '2026-03-01'],
])('on %s, the last %d days are %s to %s', (now, count, from, to) => {
  expect(lastDays(count, new Date(now))).toEqual({ from, to });
});
