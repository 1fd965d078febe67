import { CronExpressionParser } from 'cron-parser';

/** A cron expression of five fields; undefined for another text. */
export function readSchedule(text: string): string | undefined {
  if (text.trim().split(/\s+/).length !== 5) return undefined;
  try {
    CronExpressionParser.parse(text.trim(), { tz: 'UTC' }).next();
    return text.trim();
  } catch {
    return undefined;
  }
}

/** The last time, in UTC, at which a schedule wanted something to happen. */
export function lastSlot(schedule: string, now: Date): Date {
  // The expression itself says what is before a time, and not what is at it.
  const currentDate = new Date(now.getTime() + 1);
  return CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate }).prev().toDate();
}
