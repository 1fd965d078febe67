import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { changedFields, type Described } from '../components/changed-fields';
import { Checks } from '../components/choice';
import { useEdited } from '../components/use-edited';
import { useFields } from '../components/use-fields';

type Webhook = Schema['WebhookResponse'];

export function WebhookDialog(
  props: Closing & { accountId: string; webhook?: Webhook; onDone: (saved: Webhook) => Promise<unknown> },
) {
  const { accountId, webhook, onDone, onClose } = props;
  const edited = useEdited(webhook, describeWebhook);
  const { begun } = edited;
  const fields = useFields({ name: begun?.name ?? '', url: begun?.url ?? '' });
  const [events, setEvents] = useState<WebhookEventType[]>(begun?.events ?? []);
  const save = async (reason: string) => {
    const body = { ...fields.values, events };
    const call: Promise<Webhook> =
      begun && edited.base
        ? edit(edited.base, { ...changedFields(settingsOf(begun), body), reason })
        : api.POST('/admin/accounts/{account_id}/webhooks', accountId, { ...body, reason });
    await onDone(await call.catch(edited.keep));
  };
  return (
    <ActionDialog
      title={webhook ? 'Edit the webhook' : 'New webhook'}
      of={webhook?.name ?? null}
      consequence={
        webhook
          ? 'Events go to this address from now on, including those already queued.'
          : 'Its secret, with which the customer checks what arrives, is shown once.'
      }
      action={webhook ? 'Save' : 'Create it'}
      fields={['name', 'url']}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" required {...fields.text('name', edited.problem)} />
      <TextInput label="Address" placeholder="https://…" required {...fields.text('url', edited.problem)} />
      <Checks label="Events" all={WEBHOOK_EVENT_TYPES} value={events} onChange={setEvents} />
    </ActionDialog>
  );
}

const settingsOf = ({ name, url, events }: Webhook) => ({ name, url, events });

function edit(webhook: Webhook, body: Schema['EditWebhookBody']) {
  const path = { account_id: webhook.account_id, webhook_id: webhook.id };
  return api.PATCH('/admin/accounts/{account_id}/webhooks/{webhook_id}', path, body, webhook);
}

function describeWebhook({ name, url, events, enabled }: Webhook): Described {
  return [
    ['name', name],
    ['address', url],
    ['events', events.join(', ')],
    ['status', enabled ? 'enabled' : 'disabled'],
  ];
}
