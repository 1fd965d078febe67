import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { Button, NativeSelect, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { asQuery, useListSearch } from '../components/list-search';
import { Name } from '../components/name';
import { PageHeader, Panel } from '../components/page';
import { SearchField } from '../components/search-field';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { AccountBadge } from './account-badge';
import { AccountManagerName } from './account-manager';
import { CreateAccountDialog } from './account-form';

type Account = Schema['AccountResponse'];

const COLUMNS: Column<Account>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/accounts/$accountId" params={{ accountId: id }}>
        <Name>{name}</Name>
      </Link>
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

export function AccountsPage() {
  const list = useListSearch();
  const may = useMay();
  const [creating, create] = useDisclosure();
  const query = useQuery({
    queryKey: ['accounts', list.search],
    queryFn: () => unwrap(api.GET('/admin/accounts', { params: { query: asQuery(list.search) } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Accounts" hint="Customers: their tier, what they use, and their keys.">
        {may('accounts.write') && <Button onClick={create.open}>New account</Button>}
      </PageHeader>
      <Panel>
        <Stack>
          <Filters list={list} />
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
      {creating && <CreateAccountDialog onClose={create.close} />}
    </>
  );
}

/** The reader's own accounts, those without a manager, and whatever the address asks for. */
function managerOptions(wanted = '') {
  const known = [
    { value: '', label: 'Any or none' },
    { value: 'me', label: 'My accounts' },
    { value: 'none', label: 'None yet' },
  ];
  if (known.some(({ value }) => value === wanted)) return known;
  return [...known, { value: wanted, label: 'One person' }];
}

function Filters({ list }: { list: ReturnType<typeof useListSearch> }) {
  const { search, filter } = list;
  return (
    <SimpleGrid className="gr-filters" cols={{ base: 2, md: 5 }} spacing="sm">
      <SearchField label="Name or id" value={search.search} onSearch={(text) => filter({ search: text })} />
      <NativeSelect
        label="Tier"
        value={search.tier ?? ''}
        onChange={(event) => filter({ tier: event.currentTarget.value })}
        data={[{ value: '', label: 'Every tier' }, ...TIER_NAMES]}
      />
      <NativeSelect
        label="Status"
        value={search.status ?? ''}
        onChange={(event) => filter({ status: event.currentTarget.value })}
        data={[{ value: '', label: 'Every status' }, 'active', 'suspended', 'closed']}
      />
      <NativeSelect
        label="Account manager"
        value={search.manager ?? ''}
        onChange={(event) => filter({ manager: event.currentTarget.value })}
        data={managerOptions(search.manager)}
      />
      <NativeSelect
        label="IP allow-lists"
        value={search.ip_allow_list ?? ''}
        onChange={(event) => filter({ ip_allow_list: event.currentTarget.value })}
        data={[
          { value: '', label: 'On or off' },
          { value: 'true', label: 'Switched on' },
          { value: 'false', label: 'Off' },
        ]}
      />
    </SimpleGrid>
  );
}
