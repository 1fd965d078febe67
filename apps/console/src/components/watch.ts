import { DAY_MS } from '@app/domain/common/utc-days';
import { dayOf } from './day';

export const WATCH_MS = 30_000;

/** The day so many days from now, or before it, as the lists' filters want it. */
export const dayFromNow = (days: number): string => dayOf(new Date(Date.now() + days * DAY_MS));
