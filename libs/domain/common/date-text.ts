/** The zone of the computer that a text is written on, or UTC. */
export type TextZone = 'local' | 'UTC';

type Instant = string | number | Date;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** A time whose fields in UTC are those of the instant in the zone. By hand, as `grouped` is. */
function shifted(at: Instant, zone: TextZone): Date {
  const time = new Date(at);
  return zone === 'UTC' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
}

/** As machines write a day: `2026-11-30`. `utcDay` has the one in UTC. */
export const localDay = (at: Instant): string => shifted(at, 'local').toISOString().slice(0, 10);

/** `30 Nov` */
export function shortDayText(at: Instant, zone: TextZone = 'local'): string {
  const time = shifted(at, zone);
  return `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]}`;
}

/** `Mon 30 Nov` */
export const weekdayText = (at: Instant): string =>
  `${WEEKDAYS[shifted(at, 'local').getUTCDay()]} ${shortDayText(at)}`;

/** `30 Nov 2026` */
export const dayText = (at: Instant, zone: TextZone = 'local'): string =>
  `${shortDayText(at, zone)} ${shifted(at, zone).getUTCFullYear()}`;

/** `17:12` */
export const clockText = (at: Instant): string => shifted(at, 'local').toISOString().slice(11, 16);

/** `30 Nov 2026, 17:12` */
export const timeText = (at: Instant): string => `${dayText(at)}, ${clockText(at)}`;

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the server with its instants in the reader's time zone. */
export const inLocalTimes = (text: string): string => text.replace(INSTANT, timeText);
