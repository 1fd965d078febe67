import { SimpleTable } from '../components/simple-table';
import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { AccountScreen } from './account-screen';
import { DeliveriesPanel } from './deliveries-panel';
import { SecretPanel } from '../api-keys/secret-panel';
import { Empty, Loaded } from '../components/loading';
import { UserText, Name } from '../components/name';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { WebhookBadge } from '../webhooks/webhook-badge';
import { WebhookDialog } from '../webhooks/webhook-form';

export { firstQueries } from './account-screen';

type Webhook = Schema['WebhookResponse'];

/** Where an account receives events, and whether it does. */
export function AccountWebhooksPage() {
  return <AccountScreen>{({ account }) => <Endpoints accountId={account.id} />}</AccountScreen>;
}

function Endpoints({ accountId }: { accountId: string }) {
  const may = useMay();
  const [making, make] = useDisclosure();
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
            <Button size="xs" onClick={make.open}>
              New webhook…
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No webhooks">The account receives no events.</Empty>
            ) : (
              <Webhooks items={items} />
            )
          }
        </Loaded>
      </Panel>
      <DeliveriesPanel accountId={accountId} />
      {making && <WebhookDialog accountId={accountId} onDone={done} onClose={make.close} />}
    </Stack>
  );
}

function Webhooks({ items }: { items: Webhook[] }) {
  return (
    <SimpleTable
      name="Webhooks"
      rows={items}
      rowId={(webhook) => webhook.id}
      columns={[
        {
          header: 'Name',
          cell: (webhook) => (
            <Link
              to="/accounts/$accountId/webhooks/$webhookId"
              params={{ accountId: webhook.account_id, webhookId: webhook.id }}
            >
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
            <>
              <WebhookBadge webhook={webhook} />
              {webhook.failing_since && (
                <div className="gr-dimmed">
                  since <Time at={webhook.failing_since} relative />
                  {webhook.last_error && (
                    <>
                      : <UserText>{webhook.last_error}</UserText>
                    </>
                  )}
                </div>
              )}
            </>
          ),
        },
        { header: 'Events', cell: (webhook) => webhook.events.join(', ') },
        { header: 'Last success', cell: (webhook) => <Time at={webhook.last_success_at} relative /> },
      ]}
    />
  );
}
