import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPage, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { MANAGER_FILTER } from '../components/labels';
import { useListSearch } from '../components/list-search';
import { Loaded, PageHeader, Panel } from '../components/page';
import { Name, plainName } from '../components/name';
import { formatNumber } from '../components/number';
import { ScannedAt, SafetyCards } from './safety-cards';

const COLUMNS: Column<Schema['ScoredAccountResponse']>[] = [
  {
    header: 'Account',
    cell: ({ account }) => (
      <Link to="/accounts/$accountId/key-safety" params={{ accountId: account.id }}>
        <Name>{account.name}</Name>
      </Link>
    ),
  },
  { header: 'Tier', cell: ({ account }) => account.tier },
  { header: 'Score', sort: 'score', number: true, cell: ({ score }) => `${score} / 100` },
  {
    id: 'findings',
    header: 'Open findings',
    sort: 'findings',
    number: true,
    cell: ({ findings }) => formatNumber(findings),
  },
  { id: 'keys', header: 'Enabled keys', number: true, cell: ({ keys }) => formatNumber(keys) },
];

const FILTERS = [MANAGER_FILTER];

/** What is unsafe about enabled keys, and the accounts where most of it is. */
export function KeySafetyPage() {
  const list = useListSearch(FILTERS);
  const { manager } = list.query;
  const safety = useQuery(readPage(['key-safety', manager], '/admin/key-safety', { manager }));
  const accounts = useQuery(
    readPage(['key-safety-accounts', list.search], '/admin/key-safety/accounts', list.query),
  );
  return (
    <Stack>
      <PageHeader title="Key safety" hint={safety.data && <ScannedAt at={safety.data.looked_at} />} />
      <FilterBar list={list} />
      <Loaded query={safety} lines={6}>
        {({ cards }) => <SafetyCards cards={cards} search={manager === undefined ? {} : { manager }} />}
      </Loaded>
      <Panel title="Accounts">
        <DataTable
          name="Accounts by score"
          query={accounts}
          columns={COLUMNS}
          rowId={({ account }) => account.id}
          rowName={({ account }) => plainName(account.name)}
          list={list}
          defaultSort="score"
          empty="No account with an enabled key has been scored yet."
        />
      </Panel>
    </Stack>
  );
}
