import { DAY_MS, utcDay } from '@app/domain/common/utc-days';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { byDay, sumOf } from '../components/chart-days';
import { dayPlace, DAYS_AXIS, instantPlace, instantsAxis } from '../components/chart-places';
import { Choice } from '../components/fields';
import { Empty, Loaded, Panel } from '../components/page';
import { formatNumber, humanize, plural } from '../components/number';

type Traffic = Schema['TrafficResponse'];

const HOUR_MS = 3_600_000;
/** Days and operations of a month fit in one page. */
const ROWS = '200';
const MONTH = 30;
/** Outcomes that no gate is responsible for. */
const NOT_REFUSED = ['served', 'rejected', 'failed'];

const SHOWN = [
  { value: 'day', label: 'Requests, 24 hours' },
  { value: 'week', label: 'Requests, 7 days' },
  { value: 'month', label: 'Requests, 30 days' },
  { value: 'credits', label: 'Credits, 30 days' },
];
const DAYS: Record<string, number> = { day: 1, week: 7, month: MONTH };

export const trafficQuery = (keyId: string, days = MONTH) =>
  read(['traffic', keyId, days], '/admin/api-keys/{key_id}/traffic', { key_id: keyId, days });

export const isRefused = ({ outcome }: { outcome: string }) => !NOT_REFUSED.includes(outcome);

export function TrafficPanel({ keyId, accountId }: { keyId: string; accountId: string }) {
  const [shown, show] = useState('month');
  const days = DAYS[shown];
  return (
    <Panel
      title="Over time"
      actions={<Choice size="xs" aria-label="What is shown" data={SHOWN} value={shown} onPick={show} />}
    >
      {days === undefined ? <Spent {...{ keyId, accountId }} /> : <Requests {...{ keyId, days }} />}
    </Panel>
  );
}

function Requests({ keyId, days }: { keyId: string; days: number }) {
  const query = useQuery(trafficQuery(keyId, days));
  return (
    <Loaded query={query}>
      {(traffic) =>
        traffic.hours.length === 0 ? (
          <Empty title="No requests in this time" />
        ) : (
          <Chart
            label="Requests over time"
            summary={summaryOf(traffic)}
            unit="requests"
            {...toChart(traffic)}
          />
        )
      }
    </Loaded>
  );
}

function Spent({ keyId, accountId }: { keyId: string; accountId: string }) {
  const query = useQuery(
    read(['usage', keyId], '/admin/accounts/{account_id}/usage', {
      account_id: accountId,
      key_id: keyId,
      limit: ROWS as never,
    }),
  );
  return (
    <Loaded query={query} empty={['No credits used in the last 30 days']}>
      {(usage) => (
        <Chart
          label="Credits by day and operation"
          summary={`${plural(usage.credits, 'credit')} for ${plural(usage.requests, 'request')} in the last 30 days. Days of credits are days in UTC.`}
          unit="credits"
          {...byDay(usage, usage.items, ['operation', 'credits'], (operation) => ({
            name: humanize(operation),
          }))}
        />
      )}
    </Loaded>
  );
}

/** Hours of a day or two, days of a longer time. */
function toChart({ days, since, hours }: Traffic) {
  const byHour = days <= 2;
  const step = byHour ? HOUR_MS : DAY_MS;
  const start = Math.floor(Date.parse(since) / step) * step;
  const times = Array.from(
    { length: Math.floor((Date.now() - start) / step) + 1 },
    (_, place) => start + place * step,
  );
  const [good, rest, bad] = [times.map(() => 0), times.map(() => 0), times.map(() => 0)];
  for (const { hour, outcome, requests } of hours) {
    const place = Math.floor((Date.parse(hour) - start) / step);
    if (place in times)
      (outcome === 'served' ? good : outcome === 'rejected' ? rest : bad)[place]! += requests;
  }
  return {
    axis: byHour ? instantsAxis() : DAYS_AXIS,
    places: times.map((time) => (byHour ? instantPlace(time) : dayPlace(utcDay(time)))),
    series: [
      { id: 'good', name: 'served', values: good, tone: 'good' as const },
      { id: 'rest', name: 'not found or not valid', values: rest, tone: 'rest' as const },
      { id: 'bad', name: 'refused or failed', values: bad, tone: 'bad' as const },
    ],
  };
}

function summaryOf({ hours, days }: Traffic): string {
  const count = (counted: typeof hours) => sumOf(counted.map(({ requests }) => requests));
  const of = (requested: string) => count(hours.filter(({ outcome }) => outcome === requested));
  return `${plural(of('served'), 'request')} served, ${formatNumber(count(hours.filter(isRefused)))} refused, ${formatNumber(of('rejected'))} answered with what was wrong (such as 404), ${formatNumber(of('failed'))} failed in ${days === 1 ? '24 hours' : `${days} days`}.`;
}
