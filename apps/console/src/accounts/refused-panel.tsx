import { NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { GATE_NAMES } from '../api-keys/explain-page';
import { Chart } from '../components/chart';
import { dayPlace, DAYS_AXIS, listDays } from '../components/chart-places';
import type { Series } from '../components/chart-rows';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';

type Traffic = Schema['AccountTrafficResponse'];

/** Outcomes that no gate is responsible for. */
const NOT_REFUSED = ['served', 'rejected', 'failed'];

/** Requests of an account that its keys were refused, by the gate that refused them. */
export function RefusedPanel({ accountId }: { accountId: string }) {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: ['account-traffic', accountId, days],
    queryFn: () =>
      unwrap(
        api.GET('/admin/accounts/{account_id}/traffic', {
          params: { path: { account_id: accountId }, query: { days } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const select = (
    <NativeSelect
      size="xs"
      aria-label="Days"
      value={days}
      onChange={(event) => setDays(Number(event.currentTarget.value))}
      data={[
        { value: '7', label: '7 days' },
        { value: '30', label: '30 days' },
      ]}
    />
  );
  return (
    <Panel title="Refused requests" actions={select}>
      <Loaded query={query}>{(traffic) => <Refusals traffic={traffic} accountId={accountId} />}</Loaded>
    </Panel>
  );
}

function Refusals({ traffic, accountId }: { traffic: Traffic; accountId: string }) {
  const series = toSeries(traffic);
  if (series.length === 0)
    return <Empty title="No request was refused">{plural(countAll(traffic), 'request')} in this time.</Empty>;
  return (
    <>
      <Chart
        label="Refused requests by day and gate"
        summary={summaryOf(traffic, series)}
        unit="requests"
        axis={DAYS_AXIS}
        places={listDays(traffic.from, traffic.to).map(dayPlace)}
        series={series}
      />
      {series.some(({ id }) => id === 'ip') && (
        <Link to="/api-keys" search={{ account_id: accountId, list_refused_since: traffic.from } as never}>
          Keys whose allow-list refused a request
        </Link>
      )}
    </>
  );
}

/** One series for each gate that refused something, the busiest at the bottom. */
function toSeries({ from, to, items }: Traffic): Series[] {
  const days = listDays(from, to);
  const refused = new Map<string, number[]>();
  for (const { day, outcome, requests } of items) {
    if (NOT_REFUSED.includes(outcome)) continue;
    const values = refused.get(outcome) ?? days.map(() => 0);
    values[days.indexOf(day)]! += requests;
    refused.set(outcome, values);
  }
  return [...refused]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .map(([id, values], place) => ({
      id,
      name: (GATE_NAMES as Record<string, string>)[id] ?? id,
      values,
      tone: place === 0 ? 'bad' : undefined,
    }));
}

function summaryOf(traffic: Traffic, series: Series[]): string {
  const all = countAll(traffic);
  const refused = sum(series.map(({ values }) => sum(values)));
  const gates = series.map(({ name, values }) => `${formatNumber(sum(values))} by ${name}`).join(', ');
  return `${formatNumber(refused)} of ${plural(all, 'request')} refused: ${gates}.`;
}

function countAll({ items }: Traffic): number {
  return sum(items.map(({ requests }) => requests));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
