import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { BarChart, type Bar } from '../components/bar-chart';
import { Empty, Loaded } from '../components/loading';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOUR_LABEL = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const DAY_LABEL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

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
            <Stack>
              <BarChart
                bars={toBars(traffic)}
                summary={summaryOf(traffic)}
                good="served"
                bad="refused or failed"
              />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Hours of a day or two, days of a longer time. */
function toBars({ days, since, hours }: Schema['TrafficResponse']): Bar[] {
  const step = days <= 2 ? HOUR_MS : DAY_MS;
  const label = days <= 2 ? HOUR_LABEL : DAY_LABEL;
  const start = Math.floor(Date.parse(since) / step) * step;
  const count = Math.floor((Date.now() - start) / step) + 1;
  const bars = Array.from({ length: count }, (_, place) => ({
    label: label.format(start + place * step),
    good: 0,
    bad: 0,
  }));
  for (const { hour, outcome, requests } of hours) {
    const bar = bars[Math.floor((Date.parse(hour) - start) / step)];
    if (bar) bar[outcome === 'served' ? 'good' : 'bad'] += requests;
  }
  return bars;
}

function summaryOf({ hours, days }: Schema['TrafficResponse']): string {
  const sum = (served: boolean) =>
    hours
      .filter(({ outcome }) => (outcome === 'served') === served)
      .reduce((all, { requests }) => all + requests, 0);
  return `${formatNumber(sum(true))} requests served and ${formatNumber(sum(false))} refused or failed in ${days === 1 ? '24 hours' : `${days} days`}.`;
}
