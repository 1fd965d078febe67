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
export interface WebhookDone {
  text: string;
  secret?: string;
}

interface WebhookActionProps {
  webhook: Webhook;
  onDone: (done: WebhookDone) => Promise<unknown>;
}

const ONE = '/admin/accounts/{account_id}/webhooks/{webhook_id}';

const pathOf = ({ account_id, id: webhook_id }: Webhook) => ({ account_id, webhook_id });

export function WebhookActions({ webhook, onDone }: WebhookActionProps) {
  const [picked, setPicked] = useState<Action | 'edit' | null>(null);
  const navigate = useNavigate();
  const close = () => setPicked(null);
  const actions = actionsOf(webhook);
  const action = picked !== null && picked !== 'edit' ? actions[picked] : null;
  const confirm = async (reason: string) => {
    const saved = await action!.send(reason);
    if (picked !== 'delete')
      return onDone({ text: action!.done, secret: saved && 'secret' in saved ? saved.secret : undefined });
    const params = { accountId: webhook.account_id };
    return navigate({ to: '/accounts/$accountId/webhooks', params });
  };
  return (
    <>
      <ActionsMenu
        actions={[
          ['edit', 'Edit…'],
          ...(Object.keys(actions) as Action[]).map((name) => [name, `${actions[name].title}…`] as const),
        ]}
        onPick={setPicked}
      />
      {picked === 'edit' && (
        <WebhookDialog
          accountId={webhook.account_id}
          webhook={webhook}
          onDone={() => onDone({ text: 'The webhook has been saved.' })}
          onClose={close}
        />
      )}
      {action && <ActionDialog {...action} of={webhook.name} onConfirm={confirm} onClose={close} />}
    </>
  );
}

type Action = keyof ReturnType<typeof actionsOf>;

function actionsOf(webhook: Webhook) {
  const path = pathOf(webhook);
  const { enabled } = webhook;
  return {
    test: {
      title: 'Send a test',
      consequence: 'One event of the type webhook.test is sent; see it among the deliveries.',
      done: 'A test is on its way.',
      send: (reason: string) => api.POST(`${ONE}/test`, path, { reason }),
    },
    switch: {
      title: enabled ? 'Disable' : 'Enable',
      consequence: enabled
        ? 'Nothing is sent to it until it is enabled again.'
        : 'Events from now on are sent to it again.',
      done: enabled ? 'The webhook is disabled.' : 'The webhook is enabled.',
      send: (reason: string) => api.PATCH(ONE, path, { enabled: !enabled, reason }, webhook),
    },
    rotate: {
      title: 'Rotate the secret',
      consequence: 'What is sent is signed with the new secret at once. It is shown once.',
      danger: true,
      done: 'The secret was rotated.',
      send: (reason: string) => api.POST(`${ONE}/rotate-secret`, path, { reason }, webhook),
    },
    delete: {
      title: 'Delete',
      consequence: 'The endpoint and its deliveries are removed, and nothing more is sent to it.',
      danger: true,
      done: 'The webhook was deleted.',
      send: (reason: string) => api.DELETE(ONE, path, { reason }, webhook),
    },
  };
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
