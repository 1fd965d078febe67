import { formatNumber, plural } from './number';
import { durationText } from '@app/domain/common/duration-text';

interface Started {
  count: number;
  p50_secs: number | null;
  p95_secs: number | null;
}

interface Forecast {
  waiting: number;
  drains_in_secs: number | null;
  workers_for_five_minutes: number | null;
}

/** A short time with what matters of it: `80 ms`, `1.3 s`, `4 min`. */
export function secondsText(secs: number): string {
  if (secs < 1) return `${Math.round(secs * 1_000)} ms`;
  return secs < 60 ? `${Math.round(secs * 10) / 10} s` : durationText(secs);
}

/** How soon work starts: half of it, and all but a twentieth. */
export function startedText({ count, p50_secs, p95_secs }: Started): string {
  if (count === 0 || p50_secs === null || p95_secs === null) return 'No review started in this time.';
  return `Half of ${plural(count, 'review')} started within ${secondsText(p50_secs)}, 95 % within ${secondsText(p95_secs)}.`;
}

/** When what waits has started, and how many workers would do it in five minutes. */
export function forecastText({ waiting, drains_in_secs, workers_for_five_minutes }: Forecast): string {
  if (waiting === 0) return 'nothing waits';
  const jobs = plural(waiting, 'job waits', 'jobs wait');
  const workers =
    workers_for_five_minutes === null ? '' : `; ${plural(workers_for_five_minutes, 'worker')} for 5 minutes`;
  if (drains_in_secs === null)
    return workers === ''
      ? `${jobs}; nothing has ended in the last 10 minutes`
      : `${jobs} and no worker runs${workers}`;
  const isSoon = drains_in_secs <= 300;
  return `${jobs}, all started in ${secondsText(Math.max(1, drains_in_secs))}${isSoon ? '' : workers}`;
}

/** How fast a queue works off what waits, by its last 10 minutes, and when it is empty if no more comes. */
export function paceText(ended: readonly number[], secs: Forecast['drains_in_secs']): string {
  const lately = ended.slice(-10);
  const sum = lately.reduce((total, count) => total + count, 0);
  const rate = sum === 0 ? 'none lately' : `${(sum / lately.length).toFixed(1)} a minute`;
  return secs === null ? rate : `${rate}, empty in about ${secondsText(Math.max(1, secs))}`;
}

export const shareText = (share: number | null): string =>
  share === null ? 'no worker runs' : `${Math.round(share * 100)} %`;

/** The course of what ended, a minute each, for those who cannot see it. */
export function courseText(ended: readonly number[]): string {
  const total = ended.reduce((sum, count) => sum + count, 0);
  return total === 0
    ? 'none'
    : `${formatNumber(total)} in all, at most ${formatNumber(Math.max(...ended))} in a minute`;
}
