import { STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { Button, NativeSelect, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { asQuery, useListSearch } from '../components/list-search';
import { Name } from '../components/name';
import { Notice } from '../components/notice';
import { words } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { SearchField } from '../components/search-field';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { AddStaffDialog, type StaffDone } from './add-staff-dialog';
import { MemberActions } from './member-actions';
import { RolePoliciesPanel } from './role-policies-panel';
import { OneTimePassword } from './one-time-password';

type Member = Schema['StaffResponse'];

const columnsFor = (onDone: (done: StaffDone) => void): Column<Member>[] => [
  {
    id: 'name',
    header: 'Who',
    cell: ({ name, email }) => (
      <>
        <Name>{name}</Name>
        <div className="gr-dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </div>
      </>
    ),
  },
  { id: 'role', header: 'Role', cell: ({ role }) => words(role) },
  {
    id: 'status',
    header: 'Status',
    cell: ({ disabled, one_time_password_until }) => (
      <>
        <StatusBadge tone={disabled ? 'bad' : 'good'}>{disabled ? 'disabled' : 'may sign in'}</StatusBadge>
        {one_time_password_until && (
          <div className="gr-dimmed">
            one-time password until <Time at={one_time_password_until} />
          </div>
        )}
      </>
    ),
  },
  {
    id: 'factor',
    header: 'Second factor',
    cell: ({ second_factor }) => (
      <StatusBadge tone={second_factor ? 'good' : 'warn'}>{second_factor ? 'on' : 'off'}</StatusBadge>
    ),
  },
  { id: 'since', header: 'Since', cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
  { id: 'actions', header: 'Actions', cell: (member) => <MemberActions member={member} onDone={onDone} /> },
];

/** Who may sign in here, and what they may do. */
export function StaffPage() {
  const list = useListSearch();
  const [adding, add] = useDisclosure();
  const [done, setDone] = useState<StaffDone | null>(null);
  const [columns] = useState(() => columnsFor(setDone));
  const query = useQuery({
    queryKey: ['staff', list.search],
    queryFn: () => unwrap(api.GET('/admin/staff', { params: { query: asQuery(list.search) } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Staff" hint="Who may sign in here, and what they may do.">
        <Button onClick={add.open}>Add a member</Button>
      </PageHeader>
      <Stack>
        {done &&
          (done.password === undefined ? (
            <Notice tone="good">{done.text}</Notice>
          ) : (
            <OneTimePassword text={done.text} password={done.password} />
          ))}
        <Panel>
          <Stack>
            <Filters list={list} />
            <DataTable
              name="Staff"
              query={query}
              columns={columns}
              rowId={({ id }) => id}
              list={list}
              empty="No member matches these filters."
            />
          </Stack>
        </Panel>
        <RolePoliciesPanel />
      </Stack>
      {adding && <AddStaffDialog onDone={setDone} onClose={add.close} />}
    </>
  );
}

function Filters({ list: { search, filter } }: { list: ReturnType<typeof useListSearch> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <SearchField
        label="Name or e-mail"
        value={search.search}
        onSearch={(text) => filter({ search: text })}
      />
      <NativeSelect
        label="Role"
        value={search.role ?? ''}
        onChange={(event) => filter({ role: event.currentTarget.value })}
        data={[
          { value: '', label: 'Every role' },
          ...STAFF_ROLES.map((value) => ({ value, label: words(value) })),
        ]}
      />
      <NativeSelect
        label="Status"
        value={search.disabled ?? ''}
        onChange={(event) => filter({ disabled: event.currentTarget.value })}
        data={[
          { value: '', label: 'Every status' },
          { value: 'false', label: 'May sign in' },
          { value: 'true', label: 'Disabled' },
        ]}
      />
    </SimpleGrid>
  );
}
