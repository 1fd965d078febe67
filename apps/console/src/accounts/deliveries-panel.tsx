import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { byDay } from '../components/chart-days';
import type { Series } from '../components/chart-rows';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';

type Totals = Schema['WebhookTotalsResponse'];

const STATES: Record<Totals['items'][number]['state'], Pick<Series, 'name' | 'tone'>> = {
  delivered: { name: 'delivered', tone: 'good' },
  pending: { name: 'on its way', tone: 'rest' },
  failed: { name: 'failed', tone: 'bad' },
};

/** What became of the events for an account's webhooks, by day. */
export function DeliveriesPanel({ accountId }: { accountId: string }) {
  const query = useQuery(
    read(['webhook-totals', accountId], '/admin/accounts/{account_id}/webhook-deliveries', accountId),
  );
  return (
    <Panel title="Deliveries">
      <Loaded query={query}>
        {(totals) =>
          totals.items.length === 0 ? (
            <Empty title="Nothing was sent in the last 30 days" />
          ) : (
            <Chart
              label="Webhook deliveries by day"
              summary={summaryOf(totals)}
              unit="deliveries"
              {...toChart(totals)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function toChart(totals: Totals) {
  const counts = totals.items.map(({ day, state, deliveries }) => ({ day, kind: state, count: deliveries }));
  return byDay(totals, counts, (state) => STATES[state as keyof typeof STATES], Object.keys(STATES));
}

function summaryOf({ items }: Totals): string {
  const count = (requested: keyof typeof STATES) =>
    items.reduce((all, { state, deliveries }) => (state === requested ? all + deliveries : all), 0);
  return `${plural(count('delivered'), 'event')} delivered, ${formatNumber(count('failed'))} failed, ${formatNumber(count('pending'))} on the way, in the last 30 days.`;
}
