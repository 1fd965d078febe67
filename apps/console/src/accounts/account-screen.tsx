import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ComponentType, type ReactNode } from 'react';
import {
  type FirstQueries,
  read,
  type Schema,
  queryClient,
  refresh,
  api,
  assume,
  useMay,
} from '../api/client';
import type { After } from '../components/after-change';
import { Breadcrumbs } from '../components/breadcrumbs';
import { Loaded, PageHeader } from '../components/page';
import { Name } from '../components/inline';
import { ReceiptBanner } from '../components/banner';
import { WaitingBanner } from '../approvals/waiting-banner';
import { useOpened } from '../components/use-opened';
import { AccountBadge } from './account-badge';
import { PageTabs } from '../components/page-tabs';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { plural } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { useRequestedAction } from '../components/use-requested-action';
import { EditAccountDialog } from './account-form';

export type AccountDetail = Schema['AccountDetailResponse'];
type Receipt = Schema['ChangeReceipt'] | null | undefined;

export interface AccountTab {
  account: AccountDetail;
  /** Shows a changed account, and since when the change is in effect. */
  onDone: (text: string, after?: After) => (saved: AccountDetail) => void;
  /** The same for a change that returns no account. */
  onChanged: (text: string, receipt: Receipt, more?: After & { undo: ReactNode }) => void;
}

const accountQuery = (accountId: string) =>
  read(['account', accountId], '/admin/accounts/{account_id}', accountId);

export const firstQueries: FirstQueries = ({ params: { accountId = '' } }) => [accountQuery(accountId)];

/** A tab in the frame of all of them: the account's name, its status, what can be done with it, and the other tabs. */
export function accountTab(Tab: ComponentType<AccountTab>) {
  return function AccountScreen() {
    const { accountId = '' } = useParams({ strict: false });
    const query = useQuery(accountQuery(accountId));
    return <Loaded query={query}>{(account) => <Frame key={account.id} {...{ account, Tab }} />}</Loaded>;
  };
}

function Frame({ account, Tab }: { account: AccountDetail; Tab: ComponentType<AccountTab> }) {
  const may = useMay();
  useOpened('Account', account.name, `/accounts/${account.id}`);
  const [done, setDone] = useState<(After & { text: string; receipt: Receipt; undo?: ReactNode }) | null>(
    null,
  );
  const onDone: AccountTab['onDone'] = (text, after) => (saved) => {
    queryClient.setQueryData(['account', account.id], saved);
    setDone({ text, receipt: saved.receipt, ...after });
  };
  const onChanged: AccountTab['onChanged'] = (text, receipt, more) => {
    void refresh(['account', account.id]);
    setDone({ text, receipt, ...more });
  };
  return (
    <Stack>
      <PageHeader
        title={<Name>{account.name}</Name>}
        tabTitle={account.name}
        above={
          <Breadcrumbs>
            <Link to="/accounts">Accounts</Link>
          </Breadcrumbs>
        }
        tabs={<AccountTabs accountId={account.id} />}
        hint={
          <Group gap="xs">
            <AccountBadge status={account.status} /> {account.tier}
          </Group>
        }
      >
        {may('accounts.write') && <AccountActions account={account} onDone={onDone} />}
        {may('keys.write') && account.status !== 'closed' && (
          <Button
            renderRoot={(props) => (
              <Link to="/accounts/$accountId/new-key" params={{ accountId: account.id }} {...props} />
            )}
          >
            New API key
          </Button>
        )}
      </PageHeader>
      {done && (
        <ReceiptBanner of={account.name} {...done}>
          {done.text}
        </ReceiptBanner>
      )}
      <WaitingBanner targetId={account.id} />
      <Tab {...{ account, onDone, onChanged }} />
    </Stack>
  );
}

function AccountTabs({ accountId }: { accountId: string }) {
  const at = (part = '') => `/accounts/${accountId}${part}`;
  return (
    <PageTabs
      label="Parts of the account"
      tabs={[
        { label: 'Overview', to: at() },
        {
          label: 'API keys',
          to: at('/api-keys'),
          needs: 'keys.read',
          parts: [
            { label: 'Keys', to: at('/api-keys') },
            { label: 'Allow-lists', to: at('/allow-lists') },
            { label: 'Key safety', to: at('/key-safety') },
          ],
        },
        {
          label: 'Credits',
          to: at('/credits'),
          parts: [
            { label: 'Now', to: at('/credits') },
            { label: 'Report', to: at('/report') },
          ],
        },
        { label: 'Voices', to: at('/voices'), needs: 'voices.read' },
        { label: 'Webhooks', to: at('/webhooks') },
        {
          label: 'Settings',
          to: at('/settings'),
          parts: [
            { label: 'Tier and people', to: at('/settings') },
            { label: 'Alerts', to: at('/alerts') },
            { label: 'Activity', to: at('/activity'), needs: 'audit.read_own_actions' },
          ],
        },
      ]}
    />
  );
}

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
  const [action, setAction, begin] = useRequestedAction<Action>(['edit', 'suspend', 'reactivate', 'close']);
  const navigate = useNavigate();
  const toGrant = { to: `/accounts/${account.id}/credits`, search: { do: 'grant' } as never };
  const close = () => setAction(null);
  if (account.status === 'closed') return null;
  return (
    <>
      <ActionsMenu
        actions={[
          ['edit', 'Edit…'],
          ['grant', 'Grant credits…'],
          account.status === 'suspended' ? ['reactivate', 'Reactivate…'] : ['suspend', 'Suspend…'],
          ['close', 'Close for good…'],
        ]}
        onPick={(picked) => (picked === 'grant' ? void navigate(toGrant) : setAction(picked))}
      />
      {action === 'edit' && (
        <EditAccountDialog
          {...{ account, begin }}
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
