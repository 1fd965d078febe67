import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, ifMatch, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { useFields } from '../components/use-fields';

type Webhook = Schema['WebhookResponse'];

/** Creates an endpoint, or changes one. */
export function WebhookDialog({
  accountId,
  webhook,
  onDone,
  onClose,
}: {
  accountId: string;
  webhook?: Webhook;
  onDone: (saved: Webhook) => Promise<unknown>;
  onClose: () => void;
}) {
  const fields = useFields({ name: webhook?.name ?? '', url: webhook?.url ?? '' });
  const [events, setEvents] = useState<WebhookEventType[]>(webhook?.events ?? []);
  const [problem, setProblem] = useState<unknown>(null);
  const save = async (reason: string) => {
    const body = { ...fields.values, events, reason };
    const call = webhook ? edit(webhook, body) : create(accountId, body);
    await onDone(await unwrap<Webhook>(call).catch(rethrow(setProblem)));
  };
  return (
    <ActionDialog
      title={webhook ? 'Edit the webhook' : 'New webhook'}
      consequence={
        webhook
          ? 'Events go to this address from now on, including those already queued.'
          : 'Its secret, with which the customer checks what arrives, is shown once.'
      }
      action={webhook ? 'Save' : 'Create it'}
      fields={['name', 'url']}
      onConfirm={save}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TextInput label="Name" required {...fields.text('name', problem)} />
        <TextInput label="Address" placeholder="https://…" required {...fields.text('url', problem)} />
        <Checkbox.Group label="Events" value={events} onChange={(values) => setEvents(values)}>
          <Stack gap={6} mt={4}>
            {WEBHOOK_EVENT_TYPES.map((type) => (
              <Checkbox key={type} value={type} label={type} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </ActionDialog>
  );
}

interface WebhookBody {
  name: string;
  url: string;
  events: WebhookEventType[];
  reason: string;
}

function create(accountId: string, body: WebhookBody) {
  return api.POST('/admin/accounts/{account_id}/webhooks', {
    params: { path: { account_id: accountId } },
    body,
  });
}

function edit(webhook: Webhook, body: WebhookBody) {
  const path = { account_id: webhook.account_id, webhook_id: webhook.id };
  return api.PATCH('/admin/accounts/{account_id}/webhooks/{webhook_id}', {
    params: { path, header: ifMatch(webhook) },
    body,
  });
}

/** Shows a refusal at its fields, too. */
function rethrow(show: (problem: unknown) => void): (problem: unknown) => never {
  return (problem) => {
    show(problem);
    throw problem;
  };
}
