export const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** An instant in the reader's time zone, as a text. */
export function dateText(at: string): string {
  return DATE_TIME.format(new Date(at));
}
