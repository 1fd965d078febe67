import { weekdayText } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { recentMs } from '@app/domain/credits/credit-forecast';
import { StatusBadge } from '../components/inline';
import { Meter, paceOf } from '../components/meter';
import { formatNumber, plural } from '../components/number';
import { Sparkline } from '../components/sparkline';
import type { Schema } from '../api/client';

export type Credits = Schema['ListedAccountResponse']['standing']['credits'];

/** A forecast that is nearer is acted on today. */
const NOW_DAYS = 3;

/** `today`, `in 3 days` */
export function inDays(at: string): string {
  const days = daysUntil(at);
  return days <= 0 ? 'today' : `in ${plural(days, 'day')}`;
}

const startOfDay = (at: string | number) => new Date(at).setHours(0, 0, 0, 0);

const daysUntil = (at: string) => Math.round((startOfDay(at) - startOfDay(Date.now())) / DAY_MS);

export const isOut = ({ used, limit }: Pick<Credits, 'used' | 'limit'>) => used >= limit;

/** Whether credits end before they renew: soon, or now; `good` when they last. */
export function toneOf(credits: Pick<Credits, 'used' | 'limit' | 'runs_out_at'>): 'good' | 'warn' | 'bad' {
  if (isOut(credits)) return 'bad';
  if (credits.runs_out_at === null) return 'good';
  return daysUntil(credits.runs_out_at) <= NOW_DAYS ? 'bad' : 'warn';
}

export const percentOf = ({ used, limit }: Credits) => (limit === 0 ? 100 : Math.floor((used / limit) * 100));

/** Credits a day, on average of the last week, or since the account was opened: the pace of its forecast. */
export function perDay({ by_day }: Credits, openedAt: string): number {
  const days = recentMs(new Date(openedAt), new Date()) / DAY_MS;
  const used = by_day.slice(-Math.ceil(days)).reduce((sum, credits) => sum + credits, 0);
  return Math.round(used / days);
}

export function CreditsMeter({ credits }: { credits: Credits }) {
  const { limit, period_start: start, period_end: end } = credits;
  const percent = percentOf(credits);
  return (
    <Meter
      share={percent / 100}
      pace={paceOf({ start, end })}
      tone={toneOf(credits)}
      label={`${percent} % of ${formatNumber(limit)} credits used`}
    />
  );
}

export function FourteenDays({ credits: { by_day } }: { credits: Credits }) {
  return (
    <Sparkline
      values={by_day}
      label={`Credits by day, the last ${by_day.length} days: ${by_day.map(formatNumber).join(', ')}`}
    />
  );
}

export function Lasts({ credits }: { credits: Credits }) {
  if (isOut(credits))
    return (
      <>
        <StatusBadge tone="bad">out of credits</StatusBadge>{' '}
        <span className="gr-hint gr-dimmed">until {weekdayText(credits.period_end)}</span>
      </>
    );
  const { runs_out_at: end } = credits;
  if (end === null) return <span className="gr-dimmed">lasts</span>;
  return (
    <>
      <StatusBadge tone={toneOf(credits)}>{weekdayText(end)}</StatusBadge>{' '}
      <span className="gr-hint gr-dimmed">{inDays(end)}</span>
    </>
  );
}
