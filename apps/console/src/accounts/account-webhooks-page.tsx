import { LoadedTable } from '../components/simple-table';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { read, type Schema, useMay } from '../api/client';
import { accountTab } from './account-screen';
import { SecretPanel } from '../api-keys/secrets-panel';
import { OpenButton } from '../components/action-dialog';
import { Loaded, Panel } from '../components/page';
import { UserText, Name, Noted, Time } from '../components/inline';
import { WebhookBadge } from '../webhooks/deliveries-panel';
import { WebhookDialog } from '../webhooks/webhook-actions';
import { Chart } from '../components/chart';
import { byDay, sumOf } from '../components/chart-days';
import type { Series } from '../components/chart-rows';
import { formatNumber, plural } from '../components/number';

export { firstQueries } from './account-screen';

type Webhook = Schema['WebhookResponse'];

export default accountTab(function Endpoints({ account: { id: accountId } }) {
  const may = useMay();
  const [created, setCreated] = useState<Webhook[]>([]);
  const query = useQuery(read(['webhooks', accountId], '/admin/accounts/{account_id}/webhooks', accountId));
  const done = async (webhook: Webhook) => {
    setCreated((before) => [webhook, ...before]);
    await query.refetch();
  };
  return (
    <Stack>
      {created.map(
        ({ id, name, secret }) =>
          secret && <SecretPanel key={id} secret={secret} title={<Name>{name}</Name>} ifLost="rotate it" />,
      )}
      <Panel
        title="Webhooks"
        actions={
          may('accounts.write') && (
            <OpenButton size="xs" variant="filled" label="New webhook…">
              {(close) => <WebhookDialog accountId={accountId} onDone={done} onClose={close} />}
            </OpenButton>
          )
        }
      >
        <LoadedTable
          name="Webhooks"
          query={query}
          empty={['No webhooks', 'The account receives no events.']}
          columns={[
            {
              header: 'Name',
              cell: (webhook) => (
                <Link to={`/accounts/${webhook.account_id}/webhooks/${webhook.id}`}>
                  <Name>{webhook.name}</Name>
                </Link>
              ),
            },
            {
              header: 'Address',
              cell: (webhook) => (
                <span className="gr-mono" style={{ overflowWrap: 'anywhere' }}>
                  {webhook.url}
                </span>
              ),
            },
            {
              header: 'Status',
              cell: (webhook) => (
                <Noted note={webhook.failing_since && <Failing {...webhook} />}>
                  <WebhookBadge webhook={webhook} />
                </Noted>
              ),
            },
            { header: 'Events', cell: (webhook) => webhook.events.join(', ') },
            { header: 'Last success', cell: (webhook) => <Time at={webhook.last_success_at} relative /> },
          ]}
        />
      </Panel>
      <DeliveriesPanel accountId={accountId} />
    </Stack>
  );
});

function Failing({ failing_since: since, last_error: error }: Webhook) {
  return (
    <>
      since <Time at={since} relative />
      {error && ': '}
      <UserText>{error ?? ''}</UserText>
    </>
  );
}

type Totals = Schema['WebhookTotalsResponse'];

type State = Totals['items'][number]['state'];

const STATES: Record<State, Pick<Series, 'name' | 'tone'>> = {
  delivered: { name: 'delivered', tone: 'good' },
  pending: { name: 'on its way', tone: 'rest' },
  failed: { name: 'failed', tone: 'bad' },
};

function DeliveriesPanel({ accountId }: { accountId: string }) {
  const query = useQuery(
    read(['webhook-totals', accountId], '/admin/accounts/{account_id}/webhook-deliveries', accountId),
  );
  return (
    <Panel title="Deliveries">
      <Loaded query={query} empty={['Nothing was sent in the last 30 days']}>
        {(totals) => (
          <Chart
            label="Webhook deliveries by day"
            summary={summaryOf(totals)}
            unit="deliveries"
            {...byDay(
              totals,
              totals.items,
              ['state', 'deliveries'],
              (state) => STATES[state as State],
              Object.keys(STATES),
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function summaryOf({ items }: Totals): string {
  const count = (requested: State) =>
    sumOf(items.filter(({ state }) => state === requested).map(({ deliveries }) => deliveries));
  return `${plural(count('delivered'), 'event')} delivered, ${formatNumber(count('failed'))} failed, ${formatNumber(count('pending'))} on the way, in the last 30 days.`;
}
