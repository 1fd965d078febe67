import { localDay, weekdayText } from '@app/domain/common/date-text';

export const pad = (value: number) => String(value).padStart(2, '0');

/** The zone of every time and every date in the console, that of the reader's computer: `Europe/Berlin, UTC+01:00`. */
export function zoneName(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `UTC${minutes < 0 ? '−' : '+'}${pad(hours)}:${pad(rest)}`;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'UTC' ? 'UTC' : `${timeZone}, ${offset}`;
}

/** The day of an instant as a heading: `Today`, `Yesterday`, `Thu 26 Nov 2026`. */
export function dayHeading(at: string, now = new Date()): string {
  const day = localDay(at);
  if (day === localDay(now)) return 'Today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  return day === localDay(yesterday) ? 'Yesterday' : `${weekdayText(at)} ${new Date(at).getFullYear()}`;
}

export function startOfDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).toISOString();
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_FILTER = /^(?:from|to)$|_(?:since|before)$/;

/** Filters with the days in them as instants: the server knows no other days than those of UTC. */
export function withInstants<T extends Record<string, string | undefined>>(filters: T): T {
  const entries = Object.entries(filters).map(([name, value]) => [
    name,
    value !== undefined && DAY_FILTER.test(name) && DAY.test(value) ? startOfDay(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
