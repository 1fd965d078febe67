import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { BarChart, type Bar } from '../components/bar-chart';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural, words } from '../components/number';
import { Panel } from '../components/page';

type Usage = Schema['AccountUsageResponse'];

const DAY_MS = 86_400_000;
const DAY_LABEL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
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
            <>
              <BarChart bars={toBars(usage)} summary={summaryOf(usage)} good="credits" />
              <Days items={usage.items} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Days({ items }: { items: Usage['items'] }) {
  return (
    <details>
      <summary>As a table</summary>
      <div className="gr-scroll">
        <table className="gr-table" aria-label="Credits by day and operation">
          <thead>
            <tr>
              <th>Day (UTC)</th>
              <th>Operation</th>
              <th className="gr-number">Requests</th>
              <th className="gr-number">Credits</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ day, operation, requests, credits }) => (
              <tr key={`${day} ${operation}`}>
                <td>{DAY_LABEL.format(Date.parse(day))}</td>
                <td>{words(operation)}</td>
                <td className="gr-number">{formatNumber(requests)}</td>
                <td className="gr-number">{formatNumber(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function toBars({ from, to, items }: Usage): Bar[] {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length: days }, (_, place) => {
    const time = Date.parse(from) + place * DAY_MS;
    const day = new Date(time).toISOString().slice(0, 10);
    const credits = items.filter((item) => item.day === day).reduce((sum, item) => sum + item.credits, 0);
    return { label: DAY_LABEL.format(time), good: credits, bad: 0 };
  });
}

function summaryOf({ credits, requests }: Usage): string {
  return `${plural(credits, 'credit')} for ${plural(requests, 'request')} in the last 30 days. Days of credits are days in UTC.`;
}
