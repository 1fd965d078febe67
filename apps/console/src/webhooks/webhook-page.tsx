import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { read, type Schema, refresh, useMay } from '../api/client';
import { SecretPanel } from '../api-keys/secrets-panel';
import { AccountTrail } from '../components/breadcrumbs';
import { CopyableId, Name, Time } from '../components/inline';
import { Facts, Loaded, PageHeader, Panel } from '../components/page';
import { Banner, ReceiptBanner } from '../components/banner';
import { DeliveriesPanel, WebhookBadge } from './deliveries-panel';
import { WebhookActions } from './webhook-actions';

export default function WebhookPage() {
  const { accountId = '', webhookId = '' } = useParams({ strict: false });
  const path = { account_id: accountId, webhook_id: webhookId };
  const query = useQuery(
    read(['webhook', webhookId], '/admin/accounts/{account_id}/webhooks/{webhook_id}', path),
  );
  return <Loaded query={query}>{(webhook) => <WebhookView key={webhookId} webhook={webhook} />}</Loaded>;
}

function WebhookView({ webhook }: { webhook: Schema['WebhookResponse'] }) {
  const may = useMay();
  const [done, setDone] = useState<string | null>(null);
  const [newSecret, setNewSecret] = useState<string | null>(null);
  const show = async (text: string, secret?: string | null) => {
    setDone(text);
    if (secret) setNewSecret(secret);
    await refresh(['webhook', webhook.id], ['deliveries', webhook.id]);
  };
  return (
    <Stack>
      <PageHeader
        title={<Name>{webhook.name}</Name>}
        tabTitle={webhook.name}
        above={
          <AccountTrail accountId={webhook.account_id}>
            <Link to={`/accounts/${webhook.account_id}/webhooks`}>Webhooks</Link>
          </AccountTrail>
        }
        hint={<WebhookBadge webhook={webhook} />}
      >
        {may('accounts.write') && <WebhookActions webhook={webhook} onDone={show} />}
      </PageHeader>
      {done !== null && <ReceiptBanner of={webhook.name}>{done}</ReceiptBanner>}
      {newSecret !== null && (
        <SecretPanel
          key={newSecret}
          secret={newSecret}
          title="The new secret"
          ifLost="rotate it again"
          onHide={() => setNewSecret(null)}
        />
      )}
      {webhook.failing_since !== null && (
        <Banner tone="warn" title="It does not accept what is sent to it.">
          Since <Time at={webhook.failing_since} />: {webhook.last_error}
        </Banner>
      )}
      <Panel title="Endpoint">
        <Facts
          facts={[
            ['Address', <span className="gr-mono">{webhook.url}</span>],
            ['Events', webhook.events.join(', ')],
            ['Secret', <span className="gr-mono">…{webhook.secret_hint}</span>],
            ['Last success', <Time at={webhook.last_success_at} />],
            ['Created', <Time at={webhook.created_at} />],
            ['Id', <CopyableId id={webhook.id} what="the webhook's id" />],
          ]}
        />
      </Panel>
      <DeliveriesPanel webhook={webhook} />
    </Stack>
  );
}
