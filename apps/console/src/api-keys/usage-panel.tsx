import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { dayPlace, DAYS_AXIS, listDays } from '../components/chart-places';
import type { Series } from '../components/chart-rows';
import { Empty, Loaded } from '../components/loading';
import { plural, words } from '../components/number';
import { Panel } from '../components/page';

type Usage = Schema['AccountUsageResponse'];

/** Days and operations of a month fit in one page. */
const ROWS = '200';

/** Credits that a key has used, day by day, and for what. */
export function UsagePanel({ keyId, accountId }: { keyId: string; accountId: string }) {
  const query = useQuery({
    queryKey: ['usage', keyId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/accounts/{account_id}/usage', {
          params: { path: { account_id: accountId }, query: { key_id: keyId, limit: ROWS as never } },
        }),
      ),
  });
  return (
    <Panel title="Credits over time">
      <Loaded query={query}>
        {(usage) =>
          usage.items.length === 0 ? (
            <Empty title="No credits used in the last 30 days" />
          ) : (
            <Chart
              label="Credits by day and operation"
              summary={summaryOf(usage)}
              unit="credits"
              axis={DAYS_AXIS}
              places={listDays(usage.from, usage.to).map(dayPlace)}
              series={toSeries(usage)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** One series for each operation, the one that costs most at the bottom. */
function toSeries({ from, to, items }: Usage): Series[] {
  const days = listDays(from, to);
  const credits = new Map<string, number[]>();
  for (const item of items) {
    const values = credits.get(item.operation) ?? days.map(() => 0);
    values[days.indexOf(item.day)]! += item.credits;
    credits.set(item.operation, values);
  }
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  return [...credits]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .map(([id, values]) => ({ id, name: words(id), values }));
}

function summaryOf({ credits, requests }: Usage): string {
  return `${plural(credits, 'credit')} for ${plural(requests, 'request')} in the last 30 days.`;
}
