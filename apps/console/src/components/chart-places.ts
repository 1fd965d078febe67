import { clockText, dayText, shortDayText, timeText } from '@app/domain/common/date-text';
import { DAY_MS, utcDay } from '@app/domain/common/utc-days';
import type { Place } from './chart-rows';

/** The axes of days and of instants, each with the zone it is written in. */
export const DAYS_AXIS = 'Day (UTC)';
export const instantsAxis = () => `Time (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;

/** Days from one to another, such as 2026-01-31, both included. */
export function listDays(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => utcDay(Date.parse(from) + place * DAY_MS));
}

export const dayPlace = (day: string): Place => ({
  tick: shortDayText(day, 'UTC'),
  label: dayText(day, 'UTC'),
});

export const instantPlace = (at: number): Place => ({ tick: clockText(at), label: timeText(at) });
