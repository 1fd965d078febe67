import { DAY_MS } from '@app/domain/common/utc-days';
import type { Place } from './chart-rows';

const DAY_TICK = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const INSTANT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** The axes of days and of instants, each with the zone it is written in. */
export const DAYS_AXIS = 'Day (UTC)';
export const INSTANTS_AXIS = `Time (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;

/** Days from one to another, such as 2026-01-31, both included. */
export function listDays(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => isoDay(Date.parse(from) + place * DAY_MS));
}

/** The day in UTC that an instant lies in. */
export const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function dayPlace(day: string): Place {
  const time = Date.parse(day);
  return { tick: DAY_TICK.format(time), label: DAY.format(time) };
}

export const instantPlace = (at: number): Place => ({ tick: CLOCK.format(at), label: INSTANT.format(at) });
