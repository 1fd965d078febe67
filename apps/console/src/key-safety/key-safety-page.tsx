import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPage, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { MANAGER_FILTER } from '../components/labels';
import { listing, useListing } from '../components/list-search';
import { Loaded, PageHeader, Panel } from '../components/page';
import { Name, plainName } from '../components/inline';
import { formatNumber } from '../components/number';
import { ScannedAt, SafetyCards } from './safety-cards';

const COLUMNS: Column<Schema['ScoredAccountResponse']>[] = [
  {
    header: 'Account',
    cell: ({ account }) => (
      <Link to={`/accounts/${account.id}/key-safety`}>
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

const LISTING = listing(['key-safety-accounts'], '/admin/key-safety/accounts', [MANAGER_FILTER]);

export default function KeySafetyPage() {
  const listed = useListing(LISTING);
  const { manager } = listed.list.query;
  const safety = useQuery(readPage(['key-safety', manager], '/admin/key-safety', { manager }));
  return (
    <Stack>
      <PageHeader title="Key safety" hint={safety.data && <ScannedAt at={safety.data.looked_at} />} />
      <FilterBar list={listed.list} />
      <Loaded query={safety} lines={6}>
        {({ cards }) => <SafetyCards cards={cards} search={manager === undefined ? {} : { manager }} />}
      </Loaded>
      <Panel title="Accounts">
        <DataTable
          name="Accounts by score"
          {...listed}
          columns={COLUMNS}
          rowId={({ account }) => account.id}
          rowName={({ account }) => plainName(account.name)}
          defaultSort="score"
          empty="No account with an enabled key has been scored yet."
        />
      </Panel>
    </Stack>
  );
}
