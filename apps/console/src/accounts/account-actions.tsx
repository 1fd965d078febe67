import { api, type Schema, assume } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import type { After } from '../components/after-change';
import { plural } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { useRequestedAction } from '../components/use-requested-action';
import { EditAccountDialog } from './account-form';

type Detail = Schema['AccountDetailResponse'];
type Show = (text: string, after?: After) => (saved: Detail) => void;
type Action = 'edit' | 'suspend' | 'reactivate' | 'close';

const PATHS = {
  suspend: '/admin/accounts/{account_id}/suspend',
  reactivate: '/admin/accounts/{account_id}/reactivate',
  close: '/admin/accounts/{account_id}/close',
} as const;

const STATUS = { suspend: 'suspended', reactivate: 'active' } as const;

export function AccountActions({ account, onDone }: { account: Detail; onDone: Show }) {
  const [action, setAction] = useRequestedAction<Action>(['edit', 'suspend', 'reactivate', 'close']);
  const close = () => setAction(null);
  if (account.status === 'closed') return null;
  return (
    <>
      <ActionsMenu
        actions={[
          ['edit', 'Edit…'],
          account.status === 'suspended' ? ['reactivate', 'Reactivate…'] : ['suspend', 'Suspend…'],
          ['close', 'Close for good…'],
        ]}
        onPick={setAction}
      />
      {action === 'edit' && (
        <EditAccountDialog
          account={account}
          onSaved={onDone('The account has been saved.')}
          onClose={close}
        />
      )}
      {action !== null && action !== 'edit' && (
        <StatusDialog account={account} action={action} onDone={onDone} onClose={close} />
      )}
    </>
  );
}

function StatusDialog(props: Closing & { account: Detail; action: keyof typeof PATHS; onDone: Show }) {
  const { account, action, onDone, onClose } = props;
  const text = wordsFor(account)[action];
  const confirm = async (reason: string) => {
    onDone(text.done, { forCustomer: text.forCustomer })(
      await api.POST(PATHS[action], account.id, { reason }, account),
    );
  };
  return (
    <ActionDialog
      title={text.title}
      of={account.name}
      consequence={text.consequence}
      action={text.action}
      danger={action !== 'reactivate'}
      typed={action === 'close' ? 'close' : undefined}
      assume={
        action === 'close'
          ? undefined
          : () => assume<Detail>(['account', account.id], { status: STATUS[action] })
      }
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function wordsFor({ usage: { keys } }: Detail) {
  const count = plural(keys.enabled, 'enabled key');
  return {
    suspend: {
      title: 'Suspend the account',
      consequence: `Its ${count} will be refused at once, everywhere, with the response for an invalid key. Nothing is deleted; reactivating restores everything.`,
      action: 'Suspend',
      done: 'The account is suspended.',
      forCustomer:
        'Your account is suspended. Requests with any of its API keys are refused until it is active again.',
    },
    reactivate: {
      title: 'Reactivate the account',
      consequence: `Its ${count} will work again at once.`,
      action: 'Reactivate',
      done: 'The account is active again.',
      forCustomer: 'Your account is active again, and its API keys work.',
    },
    close: {
      title: 'Close the account for good',
      consequence: `Its ${count} will be refused at once, and the account can never be opened again. Its voices and its ledger stay for the record.`,
      action: 'Close for good',
      done: 'The account is closed.',
      forCustomer: 'Your account is closed. Requests with any of its API keys are refused.',
    },
  };
}
