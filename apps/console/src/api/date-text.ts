export const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export const dateText = (at: string): string => DATE_TIME.format(new Date(at));

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the server with its instants in the reader's time zone. */
export const withLocalTimes = (text: string): string => text.replace(INSTANT, dateText);
