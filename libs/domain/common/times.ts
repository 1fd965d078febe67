/** The form of a date, or of a time with its zone, in ISO 8601. */
export const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

const PARTS =
  /^(?<day>\d{4}-\d{2}-\d{2})(T(?<hour>\d{2}):(?<minute>\d{2})(:(?<second>\d{2}))?.*?(Z|[+-](?<zoneHour>\d{2}):(?<zoneMinute>\d{2})))?$/;

/** For messages: what `readTime` accepts. */
export const ACCEPTED_TIME = 'a date such as 2030-01-31 or a time such as 2030-01-31T12:00:00Z';

/** As people read a time in a sentence: `2030-01-31 12:00 UTC`. */
export const minuteText = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * A date, as its first instant in UTC, or a time with its zone; null for what is written in another way and for what does not exist:
 * 30 February, 24:00, a leap second. `Date` alone would read the first two as an instant of the next day.
 */
export function readTime(text: string): Date | null {
  const parts = ISO_TIME.test(text) ? PARTS.exec(text)?.groups : undefined;
  if (!parts || readDay(parts.day!) === null) return null;
  const below = (limit: number, names: string[]) => names.every((name) => Number(parts[name] ?? 0) < limit);
  if (!below(24, ['hour', 'zoneHour']) || !below(60, ['minute', 'second', 'zoneMinute'])) return null;
  const time = new Date(text);
  // In UTC it may lie in another year. Databases and JSON write the years 1 to 9999 as people do.
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9_999 ? time : null;
}

/** A day such as 2030-01-31, of the years 1 to 9999; null for what is not a day. */
export function readDay(text: string): string | null {
  const [year = 0, month = 0, day = 0] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? [];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month) ? text : null;
}

/** How many days a month has; `month` 1 is January. */
export function daysOf(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

/** The instant of a text that `checkTime` accepts; null and undefined as they are. */
export function toTime<T extends null | undefined>(text: string | T): Date | T {
  return typeof text === 'string' ? new Date(text) : text;
}
