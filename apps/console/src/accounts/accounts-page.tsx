import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { FILING_FILTERS, MANAGER_FILTER, Tags } from '../components/filing';
import { named, type Filter } from '../components/list-filters';
import { useListSearch } from '../components/list-search';
import { Name } from '../components/name';
import { PageHeader, Panel } from '../components/page';
import { Part } from '../components/part';
import { SavedViews } from '../components/saved-views';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { lazyScreen } from '../lazy-screen';
import { useMay } from '../session/me';
import { AccountBadge } from './account-badge';
import { AccountManagerName } from './account-manager-name';

const CreateAccountDialog = lazyScreen(() => import('./account-form'), 'CreateAccountDialog');

type Account = Schema['AccountResponse'];

const COLUMNS: Column<Account>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ id, name, tags }) => (
      <>
        <Link to="/accounts/$accountId" params={{ accountId: id }}>
          <Name>{name}</Name>
        </Link>
        <Tags tags={tags} to="/accounts" />
      </>
    ),
  },
  { id: 'tier', header: 'Tier', cell: ({ tier }) => tier },
  { id: 'status', header: 'Status', cell: ({ status }) => <AccountBadge status={status} /> },
  {
    id: 'list',
    header: 'IP allow-lists',
    cell: ({ ip_allow_list: { enabled } }) => (
      <StatusBadge tone={enabled ? 'info' : 'calm'}>{enabled ? 'switched on' : 'off'}</StatusBadge>
    ),
  },
  {
    id: 'manager',
    header: 'Account manager',
    cell: ({ manager }) => <AccountManagerName manager={manager} />,
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} dateOnly />,
  },
];

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'tier', label: 'Tier', kind: 'choice', choices: named(TIER_NAMES) },
  MANAGER_FILTER,
  { name: 'status', label: 'Status', kind: 'choice', choices: named(['active', 'suspended', 'closed']) },
  {
    name: 'ip_allow_list',
    label: 'IP allow-lists',
    kind: 'choice',
    choices: [
      { value: 'true', label: 'switched on' },
      { value: 'false', label: 'off' },
    ],
  },
  ...FILING_FILTERS,
];

export function AccountsPage() {
  const list = useListSearch(FILTERS);
  const may = useMay();
  const [creating, create] = useDisclosure();
  const query = useQuery({
    queryKey: ['accounts', list.search],
    queryFn: () => unwrap(api.GET('/admin/accounts', { params: { query: list.query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Accounts" hint="Customers: their tier, what they use, and their keys.">
        {may('accounts.write') && <Button onClick={create.open}>New account</Button>}
      </PageHeader>
      <Panel>
        <Stack>
          <SavedViews screen="accounts" list={list} />
          <FilterBar list={list} />
          <DataTable
            name="Accounts"
            query={query}
            columns={COLUMNS}
            rowId={({ id }) => id}
            list={list}
            defaultSort="-created_at"
            empty="No account matches. Widen the search, or open a new account."
          />
        </Stack>
      </Panel>
      {creating && (
        <Part>
          <CreateAccountDialog onClose={create.close} />
        </Part>
      )}
    </>
  );
}
