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
type Action = 'test' | 'switch' | 'rotate' | 'delete';

export interface WebhookDone {
  text: string;
  secret?: string;
}

interface WebhookActionProps {
  webhook: Webhook;
  onDone: (done: WebhookDone) => Promise<unknown>;
}

export function WebhookActions({ webhook, onDone }: WebhookActionProps) {
  const [action, setAction] = useState<Action | 'edit' | null>(null);
  const close = () => setAction(null);
  const words = wordsFor(webhook);
  return (
    <>
      <ActionsMenu
        actions={[
          ['edit', 'Edit…'],
          ...(Object.keys(words) as Action[]).map((name) => [name, `${words[name].action}…`] as const),
        ]}
        onPick={setAction}
      />
      {action === 'edit' && (
        <WebhookDialog
          accountId={webhook.account_id}
          webhook={webhook}
          onDone={() => onDone({ text: 'The webhook has been saved.' })}
          onClose={close}
        />
      )}
      {action !== null && action !== 'edit' && (
        <WordsDialog webhook={webhook} action={action} onDone={onDone} onClose={close} />
      )}
    </>
  );
}

function WordsDialog(props: WebhookActionProps & { action: Action; onClose: () => void }) {
  const { webhook, action, onDone, onClose } = props;
  const navigate = useNavigate();
  const text = wordsFor(webhook)[action];
  const confirm = async (reason: string) => {
    const secret = await perform(action, webhook, reason);
    if (action === 'delete') {
      const params = { accountId: webhook.account_id };
      return navigate({ to: '/accounts/$accountId/webhooks', params });
    }
    return onDone({ text: text.done, secret });
  };
  return (
    <ActionDialog
      title={text.action}
      of={webhook.name}
      consequence={text.consequence}
      action={text.action}
      danger={action === 'delete' || action === 'rotate'}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

const ONE = '/admin/accounts/{account_id}/webhooks/{webhook_id}';

async function perform(action: Action, webhook: Webhook, reason: string): Promise<string | undefined> {
  const path = { account_id: webhook.account_id, webhook_id: webhook.id };
  if (action === 'rotate') return (await api.POST(`${ONE}/rotate-secret`, path, { reason }, webhook)).secret;
  if (action === 'test') await api.POST(`${ONE}/test`, path, { reason });
  else if (action === 'delete') await api.DELETE(ONE, path, { reason }, webhook);
  else await api.PATCH(ONE, path, { enabled: !webhook.enabled, reason }, webhook);
  return undefined;
}

function wordsFor({
  enabled,
}: Webhook): Record<Action, { action: string; consequence: string; done: string }> {
  return {
    test: {
      action: 'Send a test',
      consequence: 'One event of the type webhook.test is sent; see it among the deliveries.',
      done: 'A test is on its way.',
    },
    switch: enabled
      ? {
          action: 'Disable',
          consequence: 'Nothing is sent to it until it is enabled again.',
          done: 'The webhook is disabled.',
        }
      : {
          action: 'Enable',
          consequence: 'Events from now on are sent to it again.',
          done: 'The webhook is enabled.',
        },
    rotate: {
      action: 'Rotate the secret',
      consequence: 'What is sent is signed with the new secret at once. It is shown once.',
      done: 'The secret was rotated.',
    },
    delete: {
      action: 'Delete',
      consequence: 'The endpoint and its deliveries are removed, and nothing more is sent to it.',
      done: 'The webhook was deleted.',
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
        ? edit(edited.base, { ...changedFields(settingsOf(begun), body), reason })
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
