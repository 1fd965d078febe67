import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import type { Filter } from '../components/list-filters';
import { asQueryText, filtersOf, useListSearch } from '../components/list-search';
import { Foreign } from '../components/name';
import { words } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { SavedViews } from '../components/saved-views';
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

const FILTERS: readonly Filter[] = [
  { name: 'action', label: 'Action', kind: 'search' },
  { name: 'actor', label: 'Who', kind: 'text', placeholder: 'E-mail or id' },
  { name: 'target', label: 'Id of what was changed', kind: 'text' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'Before', kind: 'date' },
];

export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done with accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};

/** Who did what, when, why, and what it changed. */
export function AuditLogPage() {
  const list = useListSearch(FILTERS);
  const { role } = useMe();
  const query = useQuery({
    queryKey: ['audit-log', list.search],
    queryFn: () => unwrap(api.GET('/admin/audit-log', { params: { query: list.query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Audit log" hint={SCOPES[role]}>
        <Button
          component="a"
          variant="default"
          href={`/admin/audit-log/export?${asQueryText(filtersOf(list.query))}`}
          download
        >
          Export as JSON lines
        </Button>
      </PageHeader>
      <Panel>
        <Stack>
          <SavedViews screen="audit-log" list={list} />
          <FilterBar list={list} />
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
