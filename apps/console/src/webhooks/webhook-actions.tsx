import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { TextInput } from '@mantine/core';
import { api, type Schema } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { ActionsMenu } from '../components/actions-menu';
import { changedFields, type Described } from '../components/changed-fields';
import { Checks, useEdited, useFields } from '../components/fields';

type Webhook = Schema['WebhookResponse'];

const ONE = '/admin/accounts/{account_id}/webhooks/{webhook_id}';

const pathOf = ({ account_id, id: webhook_id }: Webhook) => ({ account_id, webhook_id });

export function WebhookActions(props: {
  webhook: Webhook;
  onDone: (text: string, secret?: string | null) => Promise<unknown>;
}) {
  const { webhook, onDone } = props;
  const { account_id: accountId, enabled } = webhook;
  const path = pathOf(webhook);
  const navigate = useNavigate();
  return (
    <ActionsMenu
      of={webhook.name}
      actions={{
        edit: {
          label: 'Edit…',
          dialog: ({ onClose }) => (
            <WebhookDialog
              {...{ accountId, webhook, onClose }}
              onDone={() => onDone('The webhook has been saved.')}
            />
          ),
        },
        test: {
          title: 'Send a test',
          consequence: 'One event of the type webhook.test is sent; see it among the deliveries.',
          onConfirm: async (reason) => {
            await api.POST(`${ONE}/test`, path, { reason });
            await onDone('A test is on its way.');
          },
        },
        switch: {
          title: enabled ? 'Disable' : 'Enable',
          consequence: enabled
            ? 'Nothing is sent to it until it is enabled again.'
            : 'Events from now on are sent to it again.',
          onConfirm: async (reason) => {
            await api.PATCH(ONE, path, { enabled: !enabled, reason }, webhook);
            await onDone(enabled ? 'The webhook is disabled.' : 'The webhook is enabled.');
          },
        },
        rotate: {
          title: 'Rotate the secret',
          consequence: 'What is sent is signed with the new secret at once. It is shown once.',
          danger: true,
          onConfirm: async (reason) => {
            const { secret } = await api.POST(`${ONE}/rotate-secret`, path, { reason }, webhook);
            await onDone('The secret was rotated.', secret);
          },
        },
        delete: {
          title: 'Delete',
          consequence: 'The endpoint and its deliveries are removed, and nothing more is sent to it.',
          danger: true,
          onConfirm: async (reason) => {
            await api.DELETE(ONE, path, { reason }, webhook);
            await navigate({ to: '/accounts/$accountId/webhooks', params: { accountId } });
          },
        },
      }}
    />
  );
}

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
        ? api.PATCH(ONE, pathOf(begun), { ...changedFields(settingsOf(begun), body), reason }, edited.base)
        : api.POST('/admin/accounts/{account_id}/webhooks', accountId, { ...body, reason });
    await onDone(await call);
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
      form={fields}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" required {...fields.text('name')} />
      <TextInput label="Address" placeholder="https://…" required {...fields.text('url')} />
      <Checks label="Events" all={WEBHOOK_EVENT_TYPES} value={events} onChange={setEvents} />
    </ActionDialog>
  );
}

const settingsOf = ({ name, url, events }: Webhook) => ({ name, url, events });

function describeWebhook({ name, url, events, enabled }: Webhook): Described {
  return [
    ['name', name],
    ['address', url],
    ['events', events.join(', ')],
    ['status', enabled ? 'enabled' : 'disabled'],
  ];
}
