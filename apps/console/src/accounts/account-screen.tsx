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
import { plural } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { EditAccountDialog } from './account-form';

export type AccountDetail = Schema['AccountDetailResponse'];
type Receipt = Schema['ChangeReceipt'] | null | undefined;

export interface AccountTab {
  account: AccountDetail;
  /** Of the account itself; nothing of a closed one is changed. */
  mayWrite: boolean;
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
  const isOpen = account.status !== 'closed';
  const mayWrite = may('accounts.write') && isOpen;
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
        {mayWrite && <AccountActions account={account} onDone={onDone} />}
        {may('keys.write') && isOpen && (
          <Button component={Link} to={`/accounts/${account.id}/new-key`}>
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
      <Tab {...{ account, mayWrite, onDone, onChanged }} />
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

const ONE = '/admin/accounts/{account_id}';

function AccountActions({ account, onDone }: Pick<AccountTab, 'account' | 'onDone'>) {
  const navigate = useNavigate();
  const { id, name, status } = account;
  const count = plural(account.usage.keys.enabled, 'enabled key');
  const assumeStatus = (assumed: AccountDetail['status']) =>
    assume<AccountDetail>(['account', id], { status: assumed });
  return (
    <ActionsMenu
      of={name}
      actions={{
        edit: {
          label: 'Edit…',
          dialog: (dialog) => (
            <EditAccountDialog {...{ account, ...dialog }} onSaved={onDone('The account has been saved.')} />
          ),
        },
        grant: {
          label: 'Grant credits…',
          onPick: () => void navigate({ to: `/accounts/${id}/credits`, search: { do: 'grant' } as never }),
        },
        suspend: {
          label: 'Suspend…',
          isHidden: status === 'suspended',
          title: 'Suspend the account',
          consequence: `Its ${count} will be refused at once, everywhere, with the response for an invalid key. Nothing is deleted; reactivating restores everything.`,
          action: 'Suspend',
          danger: true,
          assume: () => assumeStatus('suspended'),
          onConfirm: async (reason) =>
            onDone('The account is suspended.', {
              forCustomer:
                'Your account is suspended. Requests with any of its API keys are refused until it is active again.',
            })(await api.POST(`${ONE}/suspend`, id, { reason }, account)),
        },
        reactivate: {
          label: 'Reactivate…',
          isHidden: status !== 'suspended',
          title: 'Reactivate the account',
          consequence: `Its ${count} will work again at once.`,
          action: 'Reactivate',
          assume: () => assumeStatus('active'),
          onConfirm: async (reason) =>
            onDone('The account is active again.', {
              forCustomer: 'Your account is active again, and its API keys work.',
            })(await api.POST(`${ONE}/reactivate`, id, { reason }, account)),
        },
        close: {
          label: 'Close for good…',
          title: 'Close the account for good',
          consequence: `Its ${count} will be refused at once, and the account can never be opened again. Its voices and its ledger stay for the record.`,
          action: 'Close for good',
          danger: true,
          typed: 'close',
          onConfirm: async (reason) =>
            onDone('The account is closed.', {
              forCustomer: 'Your account is closed. Requests with any of its API keys are refused.',
            })(await api.POST(`${ONE}/close`, id, { reason }, account)),
        },
      }}
    />
  );
}
