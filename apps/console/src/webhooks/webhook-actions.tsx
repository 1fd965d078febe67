import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { ActionsMenu } from '../components/actions-menu';
import { WebhookDialog } from './webhook-form';

type Webhook = Schema['WebhookResponse'];
type Action = 'test' | 'switch' | 'rotate' | 'delete';

/** The outcome of an action; a secret only when there is a new one. */
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

/** The new secret, when there is one. */
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
