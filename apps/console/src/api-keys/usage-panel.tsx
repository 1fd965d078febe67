import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { byDay } from '../components/chart-days';
import { Empty, Loaded } from '../components/loading';
import { plural, humanize } from '../components/number';
import { Panel } from '../components/page';

type Usage = Schema['AccountUsageResponse'];

/** Days and operations of a month fit in one page. */
const ROWS = '200';

/** Credits that a key has used, day by day, and for what. */
export function UsagePanel({ keyId, accountId }: { keyId: string; accountId: string }) {
  const query = useQuery(
    read(['usage', keyId], '/admin/accounts/{account_id}/usage', {
      path: { account_id: accountId },
      query: { key_id: keyId, limit: ROWS as never },
    }),
  );
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
              {...toChart(usage)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** One series for each operation, the one that costs most at the bottom. */
function toChart(usage: Usage) {
  const counts = usage.items.map(({ day, operation, credits }) => ({ day, kind: operation, count: credits }));
  return byDay(usage, counts, (operation) => ({ name: humanize(operation) }));
}

function summaryOf({ credits, requests }: Usage): string {
  return `${plural(credits, 'credit')} for ${plural(requests, 'request')} in the last 30 days. Days of credits are days in UTC.`;
}
