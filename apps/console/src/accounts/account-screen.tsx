import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ComponentType, type ReactNode } from 'react';
import type { FirstQueries } from '../api/first-queries';
import { read, type Schema, queryClient, refresh } from '../api/client';
import type { After } from '../components/after-change';
import { Breadcrumbs } from '../components/breadcrumbs';
import { Loaded, PageHeader } from '../components/page';
import { Name } from '../components/name';
import { ReceiptBanner } from '../components/receipt-banner';
import { WaitingBanner } from '../approvals/waiting-banner';
import { useOpened } from '../components/use-opened';
import { useMay } from '../api/me';
import { AccountActions } from './account-actions';
import { AccountBadge } from './account-badge';
import { PageTabs } from '../components/page-tabs';

export type AccountDetail = Schema['AccountDetailResponse'];
type Receipt = Schema['ChangeReceipt'] | null | undefined;

/** What a tab of an account receives: the account, and how it says what has been changed. */
export interface AccountTab {
  account: AccountDetail;
  /** Shows a changed account, and since when the change is in effect. */
  onDone: (text: string, after?: After) => (saved: AccountDetail) => void;
  /** The same for a change that returns no account. */
  onChanged: (text: string, receipt: Receipt, more?: After & { undo: ReactNode }) => void;
}

const accountQuery = (accountId: string) =>
  read(['account', accountId], '/admin/accounts/{account_id}', accountId);

/** Of every tab. */
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
        <ReceiptBanner
          of={account.name}
          receipt={done.receipt}
          undo={done.undo}
          now={done.now}
          forCustomer={done.forCustomer}
        >
          {done.text}
        </ReceiptBanner>
      )}
      <WaitingBanner targetId={account.id} />
      <Tab {...{ account, onDone, onChanged }} />
    </Stack>
  );
}

/** The parts of an account, each with its own address. */
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
