/** A day in milliseconds: one of UTC, which has no other length. */
export const DAY_MS = 86_400_000;

/** Some whole days in UTC up to today, which is not over; such as 2026-01-31, both included. */
export interface UtcDays {
  from: string;
  to: string;
}

/** The last days, today included. */
export function lastDays(count: number, now: Date): UtcDays {
  return { from: utcDay(new Date(now.getTime() - (count - 1) * DAY_MS)), to: utcDay(now) };
}

/** The day in UTC that an instant lies in. */
export function utcDay(at: Date | number): string {
  return new Date(at).toISOString().slice(0, 10);
}
