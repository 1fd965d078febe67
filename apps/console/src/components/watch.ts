import { localDay } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';

export const WATCH_MS = 30_000;

/** The day so many days from now, or before it, as the lists' filters want it. */
export const dayFromNow = (days: number): string => localDay(Date.now() + days * DAY_MS);
