import { DaysChoice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { isRefused } from '../api-keys/traffic-panel';
import { Chart } from '../components/chart';
import { byDay, sumOf } from '../components/chart-days';
import type { Series } from '../components/chart-rows';
import { Empty, Loaded, Panel } from '../components/page';
import { gateName } from '../explain/explanation';
import { formatNumber, plural } from '../components/number';

type Traffic = Schema['AccountTrafficResponse'];

export const TRAFFIC_DAYS = 30;

export const trafficQuery = (accountId: string, days: number) =>
  readPage(['account-traffic', accountId, days], '/admin/accounts/{account_id}/traffic', {
    account_id: accountId,
    days,
  });

export function RefusedPanel({ accountId }: { accountId: string }) {
  const [days, setDays] = useState(TRAFFIC_DAYS);
  const query = useQuery(trafficQuery(accountId, days));
  // The figure above says so.
  if (days === TRAFFIC_DAYS && query.data && countRefused(query.data) === 0) return null;
  const select = <DaysChoice days={days} choices={[7, 30]} onPick={setDays} />;
  return (
    <Panel title="Refused requests" actions={select}>
      <Loaded query={query}>{(traffic) => <Refusals traffic={traffic} accountId={accountId} />}</Loaded>
    </Panel>
  );
}

function Refusals({ traffic, accountId }: { traffic: Traffic; accountId: string }) {
  const chart = toChart(traffic);
  const { series } = chart;
  if (series.length === 0)
    return <Empty title="No request was refused">{plural(countAll(traffic), 'request')} in this time.</Empty>;
  return (
    <>
      <Chart
        label="Refused requests by day and gate"
        summary={summaryOf(traffic, series)}
        unit="requests"
        {...chart}
      />
      {series.some(({ id }) => id === 'ip') && (
        <Link to="/api-keys" search={{ account_id: accountId, list_refused_since: traffic.from } as never}>
          Keys whose allow-list refused a request
        </Link>
      )}
    </>
  );
}

const toChart = (traffic: Traffic) =>
  byDay(traffic, refusedOf(traffic), ['outcome', 'requests'], (gate, place) => ({
    name: gateName(gate),
    ...(place === 0 && { tone: 'bad' as const }),
  }));

function summaryOf(traffic: Traffic, series: Series[]): string {
  const all = countAll(traffic);
  const refused = countRefused(traffic);
  const gates = series.map(({ name, values }) => `${formatNumber(sumOf(values))} by ${name}`).join(', ');
  return `${formatNumber(refused)} of ${plural(all, 'request')} refused: ${gates}.`;
}

const refusedOf = ({ items }: Traffic) => items.filter(isRefused);

export const countRefused = (traffic: Traffic) => sumOf(refusedOf(traffic).map(({ requests }) => requests));

export const countAll = ({ items }: Traffic) => sumOf(items.map(({ requests }) => requests));
