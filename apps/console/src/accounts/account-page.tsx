import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { CopyableId } from '../components/copy-button';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loading';
import { Name } from '../components/name';
import { plural } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReceiptNotice } from '../components/receipt-notice';
import { Time } from '../components/time';
import { UsageBar } from '../components/usage-bar';
import { useMay } from '../session/me';
import { AccountActions } from './account-actions';
import { AccountBadge } from './account-badge';
import { AccountKeys } from './account-keys';
import { EntitlementPanel } from './entitlement-panel';
import { RecordingsPanel } from './recordings-panel';

type Detail = Schema['AccountDetailResponse'];
export interface Done {
  text: string;
  receipt: Detail['receipt'];
}

/** One account: what it uses, what it may do, and its keys. */
export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['account', accountId],
    queryFn: () =>
      unwrap(api.GET('/admin/accounts/{account_id}', { params: { path: { account_id: accountId } } })),
  });
  return <Loaded query={query}>{(account) => <AccountView account={account} />}</Loaded>;
}

function AccountView({ account }: { account: Detail }) {
  const queryClient = useQueryClient();
  const may = useMay();
  const [done, setDone] = useState<Done | null>(null);
  const show = (text: string) => (saved: Detail) => {
    queryClient.setQueryData(['account', account.id], saved);
    setDone({ text, receipt: saved.receipt });
  };
  return (
    <Stack>
      <PageHeader
        title={<Name>{account.name}</Name>}
        tabTitle={account.name}
        above={<Link to="/accounts">Accounts</Link>}
        hint={
          <Group gap="xs">
            <AccountBadge status={account.status} /> {account.tier}
          </Group>
        }
      >
        {may('keys.write') && account.status !== 'closed' && (
          <Button
            renderRoot={(props) => (
              <Link to="/accounts/$accountId/new-key" params={{ accountId: account.id }} {...props} />
            )}
          >
            New API key
          </Button>
        )}
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link to="/accounts/$accountId/webhooks" params={{ accountId: account.id }} {...props} />
          )}
        >
          Webhooks
        </Button>
        {may('accounts.write') && <AccountActions account={account} onDone={show} />}
      </PageHeader>
      {done && <ReceiptNotice receipt={done.receipt}>{done.text}</ReceiptNotice>}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <UsagePanel account={account} />
        <EntitlementPanel account={account} onDone={show} />
        <RecordingsPanel account={account} onDone={show} />
      </SimpleGrid>
      <AccountKeys accountId={account.id} />
    </Stack>
  );
}

function UsagePanel({ account: { id, usage, limits, created_at } }: { account: Detail }) {
  const { credits, voices, keys } = usage;
  return (
    <Panel title="Use in this billing period">
      <Stack>
        <UsageBar used={credits.used} limit={credits.limit} unit="credits" />
        <UsageBar used={voices.used} limit={voices.limit} unit="voices" />
        <Facts
          facts={[
            [
              'Period',
              <>
                <Time at={credits.period_start} dateOnly /> to <Time at={credits.period_end} dateOnly />
              </>,
            ],
            [
              'Keys',
              `${plural(keys.total, 'key')}, ${keys.enabled} enabled, ${keys.with_allow_list} with an allow-list`,
            ],
            ['At the same time', plural(limits.concurrency.limit, 'generation')],
            ['Own limits', ownLimits(limits)],
            ['Created', <Time at={created_at} />],
            ['Id', <CopyableId id={id} what="the account's id" />],
          ]}
        />
      </Stack>
    </Panel>
  );
}

function ownLimits({ credits_override, voices, concurrency }: Detail['limits']): string {
  const named: [number | null, string][] = [
    [credits_override, 'credits'],
    [voices.override, 'voices'],
    [concurrency.override, 'at the same time'],
  ];
  const own = named.flatMap(([value, name]) => (value === null ? [] : [`${value} ${name}`]));
  return own.length === 0 ? 'none: those of the tier' : own.join(', ');
}
