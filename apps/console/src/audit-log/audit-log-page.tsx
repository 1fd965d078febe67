import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { asQuery, filtersOf, useListSearch, type ListSearch } from '../components/list-search';
import { Foreign } from '../components/name';
import { words } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { SearchField } from '../components/search-field';
import { Time } from '../components/time';
import { useMe } from '../session/me';
import { Differences } from './differences';

type Event = Schema['AuditEventResponse'];

export const COLUMNS: Column<Event>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'actor',
    header: 'Who',
    cell: ({ actor, address }) => (
      <>
        <Foreign>{actor.name}</Foreign>
        <div className="gr-dimmed">
          {words(actor.role ?? actor.kind)}
          {address && <span className="gr-mono"> {address}</span>}
        </div>
      </>
    ),
  },
  {
    id: 'action',
    header: 'What',
    cell: ({ action, target }) => (
      <>
        <span className="gr-mono">{action}</span>
        <div className="gr-dimmed gr-mono">
          {words(target.type)} {target.id}
        </div>
      </>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason }) =>
      reason !== null && (
        <span style={{ overflowWrap: 'anywhere' }}>
          <Foreign>{reason}</Foreign>
        </span>
      ),
  },
  {
    id: 'change',
    header: 'Change',
    cell: ({ before, after }) => <Differences before={before} after={after} />,
  },
];

export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done with accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};

/** Who did what, when, why, and what it changed. */
export function AuditLogPage() {
  const list = useListSearch();
  const { role } = useMe();
  const query = useQuery({
    queryKey: ['audit-log', list.search],
    queryFn: () => unwrap(api.GET('/admin/audit-log', { params: { query: asQuery(list.search) } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Audit log" hint={SCOPES[role]}>
        <Button
          component="a"
          variant="default"
          href={`/admin/audit-log/export?${exportQuery(list.search)}`}
          download
        >
          Export as JSON lines
        </Button>
      </PageHeader>
      <Panel>
        <Stack>
          <Filters list={list} />
          <DataTable
            name="Audit log"
            query={query}
            columns={COLUMNS}
            rowId={({ id }) => id}
            list={list}
            empty="No event matches these filters."
          />
        </Stack>
      </Panel>
    </>
  );
}

function exportQuery(search: ListSearch): string {
  return new URLSearchParams(filtersOf(search) as Record<string, string>).toString();
}

function Filters({ list: { search, filter } }: { list: ReturnType<typeof useListSearch> }) {
  return (
    <SimpleGrid className="gr-filters" cols={{ base: 2, md: 3 }} spacing="sm">
      <SearchField
        label="Action"
        placeholder="key.*"
        value={search.action}
        onSearch={(text) => filter({ action: text })}
      />
      <SearchField
        label="Who"
        placeholder="E-mail or id"
        value={search.actor}
        onSearch={(text) => filter({ actor: text })}
      />
      <SearchField
        label="Id of what was changed"
        value={search.target}
        onSearch={(text) => filter({ target: text })}
      />
      <SearchField
        label="Id of the account"
        value={search.account_id}
        onSearch={(text) => filter({ account_id: text })}
      />
      <TextInput
        type="date"
        label="From"
        value={search.from ?? ''}
        onChange={(event) => filter({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Before"
        value={search.to ?? ''}
        onChange={(event) => filter({ to: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}
