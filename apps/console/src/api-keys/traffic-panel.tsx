import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { dayPlace, DAYS_AXIS, instantPlace, INSTANTS_AXIS, isoDay } from '../components/chart-places';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Requests of a key over time. */
export function TrafficPanel({ keyId }: { keyId: string }) {
  const [days, setDays] = useState(7);
  const query = useQuery({
    queryKey: ['traffic', keyId, days],
    queryFn: () =>
      unwrap(
        api.GET('/admin/api-keys/{key_id}/traffic', { params: { path: { key_id: keyId }, query: { days } } }),
      ),
  });
  const select = (
    <NativeSelect
      size="xs"
      aria-label="Days"
      value={days}
      onChange={(event) => setDays(Number(event.currentTarget.value))}
      data={[
        { value: '1', label: '24 hours' },
        { value: '7', label: '7 days' },
        { value: '30', label: '30 days' },
      ]}
    />
  );
  return (
    <Panel title="Requests" actions={select}>
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
    </Panel>
  );
}

/** Hours of a day or two, days of a longer time. */
function toChart({ days, since, hours }: Schema['TrafficResponse']) {
  const byHour = days <= 2;
  const step = byHour ? HOUR_MS : DAY_MS;
  const start = Math.floor(Date.parse(since) / step) * step;
  const times = Array.from(
    { length: Math.floor((Date.now() - start) / step) + 1 },
    (_, place) => start + place * step,
  );
  const [good, bad] = [times.map(() => 0), times.map(() => 0)];
  for (const { hour, outcome, requests } of hours) {
    const place = Math.floor((Date.parse(hour) - start) / step);
    if (place in times) (outcome === 'served' ? good : bad)[place]! += requests;
  }
  return {
    axis: byHour ? INSTANTS_AXIS : DAYS_AXIS,
    places: times.map((time) => (byHour ? instantPlace(time) : dayPlace(isoDay(time)))),
    series: [
      { id: 'good', name: 'served', values: good, tone: 'good' as const },
      { id: 'bad', name: 'refused or failed', values: bad, tone: 'bad' as const },
    ],
  };
}

function summaryOf({ hours, days }: Schema['TrafficResponse']): string {
  const sum = (served: boolean) =>
    hours
      .filter(({ outcome }) => (outcome === 'served') === served)
      .reduce((all, { requests }) => all + requests, 0);
  return `${plural(sum(true), 'request')} served and ${formatNumber(sum(false))} refused or failed in ${days === 1 ? '24 hours' : `${days} days`}.`;
}
