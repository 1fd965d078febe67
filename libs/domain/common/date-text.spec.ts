import { clockText, dayText, localDay, shortDayText, timeText, weekdayText } from './date-text';

const MONTH_MS = 31 * 86_400_000;

/** One instant of each month of a year, at another time of the day, and the night in which summer time ends in Europe. */
const INSTANTS = [
  ...Array.from({ length: 12 }, (_, month) => Date.parse('2026-01-01T00:07:00Z') + month * (MONTH_MS / 1.03)),
  Date.parse('2026-10-25T00:30:00Z'),
  Date.parse('2026-10-25T01:30:00Z'),
];

/** What the platform writes, without its comma after a weekday. */
const platform = (at: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', options).format(at).replace(/^(\w{3}), /, '$1 ');

describe('date texts', () => {
  it.each(INSTANTS)('reads %d as the platform writes it', (at) => {
    expect([dayText(at), dayText(at, 'UTC'), shortDayText(at, 'UTC')]).toEqual([
      platform(at, { dateStyle: 'medium' }),
      platform(at, { dateStyle: 'medium', timeZone: 'UTC' }),
      platform(at, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    ]);
    expect([clockText(at), timeText(at), weekdayText(at)]).toEqual([
      platform(at, { timeStyle: 'short' }),
      platform(at, { dateStyle: 'medium', timeStyle: 'short' }),
      platform(at, { weekday: 'short', day: 'numeric', month: 'short' }),
    ]);
  });

  it('writes the day that its reader has, for machines', () => {
    expect([localDay(new Date(2026, 10, 30)), localDay(new Date(2026, 10, 30, 23, 59))]).toEqual([
      '2026-11-30',
      '2026-11-30',
    ]);
  });
});
