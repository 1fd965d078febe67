import { type Filter } from '../components/list-filters';
import { actionTitle } from '@app/domain/audit/action-title';
import { Stack } from '@mantine/core';
import { DownloadButton } from '../components/download-button';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, type Schema, useMay, useMe } from '../api/client';
import { FilteredList } from '../components/filtered-list';
import { asQuery, asQueryText, filtersOf, useListSearch, listing } from '../components/list-search';
import { PageHeader, Panel } from '../components/page';
import { ChainPanel } from './chain-panel';
import { EVENT_LIST, SCOPES } from './event';
import { groupSignIns } from './group-sign-ins';
import { ACTIONS } from './sentences';

const ACTION_CHOICES = ACTIONS.map((action) => ({ value: action, label: actionTitle(action) }));

const LISTING = listing(['audit-log'], '/admin/audit-log', filtersWith([]));

export const { firstQueries } = LISTING;

export default function AuditLogPage() {
  const list = useListSearch(useFilters());
  const { role } = useMe();
  const may = useMay();
  const query = useQuery({
    ...LISTING.queryOf(list),
    select: (page) => ({ ...page, items: groupSignIns(page.items) }),
  });
  return (
    <Stack>
      <PageHeader title="Audit log" hint={SCOPES[role]}>
        <DownloadButton href={`/admin/audit-log/export?${asQueryText(filtersOf(list.query))}`}>
          Export as JSON lines
        </DownloadButton>
      </PageHeader>
      <Panel>
        <FilteredList
          views={{ screen: 'audit-log' }}
          name="Audit log"
          query={query}
          {...EVENT_LIST}
          list={list}
          empty="No event matches these filters."
        />
      </Panel>
      {may('audit.read_all') && <ChainPanel />}
    </Stack>
  );
}

/** With the members of staff to choose from, for readers who see what others do. */
function useFilters(): readonly Filter[] {
  const may = useMay();
  const { data } = useQuery({
    ...read(['staff', 'choices'], '/admin/staff', asQuery({ limit: '200' })),
    enabled: may('staff.read'),
    staleTime: 60_000,
  });
  return useMemo(() => filtersWith(data?.items ?? []), [data]);
}

function filtersWith(staff: Schema['StaffResponse'][]): Filter[] {
  const people = staff.map(({ id, name, email }) => ({ value: id, label: `${name}, ${email}` }));
  return [
    { name: 'actor', label: 'Who: a name or an e-mail address', kind: 'search' },
    { name: 'action', label: 'Action', choices: ACTION_CHOICES },
    ...(people.length === 0 ? [] : [{ name: 'actor_id', label: 'Member of staff', choices: people }]),
    { name: 'target', label: 'Id of what was changed', kind: 'text' },
    { name: 'account_id', label: 'Account', kind: 'account' },
    { name: 'from', label: 'From', kind: 'date' },
    { name: 'to', label: 'Before', kind: 'date' },
  ];
}
