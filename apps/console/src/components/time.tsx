import { useEffect, useState, useSyncExternalStore } from 'react';
import { DATE_TIME } from '../api/date-text';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Further away than this, a date says more than a number of days. */
const RELATIVE_SECS = 7 * 86_400;

/** An instant in the reader's time zone; the exact one on hover. `relative` says "3 hours ago" for what is near, `clock` the time of a day that is named above. */
export function Time(props: {
  at: string | null | undefined;
  relative?: boolean;
  dateOnly?: boolean;
  clock?: boolean;
  never?: string;
}) {
  const { at, relative = false, dateOnly = false, clock = false, never = 'never' } = props;
  useSyncExternalStore(relative ? eachHalfMinute : notAtAll, halfMinute);
  if (!at) return <span className="gr-dimmed">{never}</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${time.toISOString()} (${DATE_TIME.format(time)} here)`}>
      {relative ? relativeText(time) : (clock ? CLOCK : dateOnly ? DATE : DATE_TIME).format(time)}
    </time>
  );
}

const HALF_MINUTE_MS = 30_000;
const halfMinute = () => Math.floor(Date.now() / HALF_MINUTE_MS);
const notAtAll = () => () => {};

function eachHalfMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, HALF_MINUTE_MS);
  return () => clearInterval(timer);
}

function relativeText(time: Date): string {
  const secs = (time.getTime() - Date.now()) / 1_000;
  if (Math.abs(secs) > RELATIVE_SECS) return DATE.format(time);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(secs) >= each) ?? ['second', 1];
  return unit === 'second'
    ? secs > 0
      ? 'in a moment'
      : 'just now'
    : RELATIVE.format(Math.round(secs / length), unit);
}

export function useCountdown(at: string): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000));
}

/** `4:05`, or `2 h 04 min` when it is long. */
export function countdownText(secs: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  if (secs >= 3_600) return `${Math.floor(secs / 3_600)} h ${pad(Math.floor((secs % 3_600) / 60))} min`;
  return `${Math.floor(secs / 60)}:${pad(secs % 60)}`;
}
