import { forecastCredits, recentMs } from './credit-forecast';

const DAY_MS = 86_400_000;
const now = new Date('2026-11-22T12:00:00Z');
const periodEnd = new Date('2026-12-02T12:00:00Z');
const WEEK_MS = 7 * DAY_MS;
const of = (limit: number, used: number, credits: number) =>
  forecastCredits({ left: limit - used, used, periodEnd }, { credits, ms: WEEK_MS }, now);

it('at this pace out on 27 Nov: five days of credits are left of a period that has ten', () => {
  expect(of(10_000, 5_000, 7_000)).toEqual({
    perDay: 1_000,
    usedAtPeriodEnd: 15_000,
    runsOutAt: new Date('2026-11-27T12:00:00Z'),
  });
});

it('credits that last until the period ends do not run out, to the millisecond', () => {
  expect(of(10_000, 0, 7_000).runsOutAt).toBeNull();
  expect(of(9_999, 0, 7_000).runsOutAt).not.toBeNull();
});

it('nothing used lately: nothing runs out, and the period costs what it has cost', () => {
  expect(of(10_000, 4_000, 0)).toEqual({ perDay: 0, usedAtPeriodEnd: 4_000, runsOutAt: null });
});

it('what was given back lately is no negative pace', () => {
  expect(of(10_000, 4_000, -700)).toEqual({ perDay: 0, usedAtPeriodEnd: 4_000, runsOutAt: null });
});

it.each([
  [10_000, 10_000],
  [10_000, 12_000],
  [0, 0],
])('of a limit of %d, %d are used: they are out now', (limit, used) => {
  expect(of(limit, used, 0).runsOutAt).toEqual(now);
});

it('a period that has ended is not continued', () => {
  const ended = { left: 50, used: 50, periodEnd: new Date(now.getTime() - 1) };
  expect(forecastCredits(ended, { credits: 700, ms: WEEK_MS }, now)).toEqual({
    perDay: 100,
    usedAtPeriodEnd: 50,
    runsOutAt: null,
  });
});

it('looks back for a week, less for a younger account, and at least a day', () => {
  const openedBefore = (days: number) => recentMs(new Date(now.getTime() - days * DAY_MS), now) / DAY_MS;
  expect([0, 0.5, 3, 7, 400].map(openedBefore)).toEqual([1, 1, 3, 7, 7]);
});
