import { withSchema, type Check } from '../common/field-checks';

/** When a contact is not disturbed: from one minute of the day to another, in a separate time zone. */
export interface QuietHours {
  /** Minutes since midnight, 0 to 1439; `from` after `to` spans midnight. */
  from: number;
  to: number;
  /** IANA name such as Europe/Berlin. */
  timeZone: string;
}

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

/** Whether a text names a time zone that this machine knows. */
export function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The name of a time zone. */
export const checkTimeZone: Check = withSchema({ type: 'string', maxLength: 64 }, (value) =>
  typeof value === 'string' && value.length <= 64 && isTimeZone(value)
    ? []
    : [{ type: 'time_zone', msg: 'Input should be the name of a time zone such as Europe/Berlin' }],
);

/**
 * When a message that is ready `now` may be sent: at once, or when the quiet hours end. A change of the clock in between
 * shifts that by an hour at the most, as the next look shows.
 */
export function afterQuietHours(now: Date, quiet: QuietHours | null): Date {
  if (!quiet || quiet.from === quiet.to) return now;
  const minute = minuteOfDay(now, quiet.timeZone);
  const sinceFrom = (minute - quiet.from + DAY_MINUTES) % DAY_MINUTES;
  const length = (quiet.to - quiet.from + DAY_MINUTES) % DAY_MINUTES;
  if (sinceFrom >= length) return now;
  const startOfMinute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  return new Date(startOfMinute + (length - sinceFrom) * MINUTE_MS);
}

function minuteOfDay(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return read('hour') * 60 + read('minute');
}
