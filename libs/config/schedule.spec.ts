import { lastSlot, readSchedule } from './schedule';

it.each([
  ['0 3 * * *', true],
  ['*/15 * * * 1-5', true],
  ['0 3 31 2 *', false],
  ['0 0 3 * * *', false],
  ['@daily', false],
  ['daily at 3', false],
  ['61 3 * * *', false],
])('%s is a schedule: %s', (text, accepted) => expect(readSchedule(text) !== undefined).toBe(accepted));

it.each([
  ['0 3 * * *', '2026-11-29T12:00:00Z', '2026-11-29T03:00:00Z'],
  ['0 3 * * *', '2026-11-29T02:59:59Z', '2026-11-28T03:00:00Z'],
  ['0 3 * * *', '2026-11-29T03:00:00Z', '2026-11-29T03:00:00Z'],
  ['0 3 * * 0', '2026-12-04T12:00:00Z', '2026-11-29T03:00:00Z'],
])('the last slot of %s at %s is %s', (schedule, now, slot) =>
  expect(lastSlot(schedule, new Date(now))).toEqual(new Date(slot)),
);
