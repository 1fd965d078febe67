import { STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { OpenButton } from '../components/action-dialog';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import { named, type Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Name, Time, StatusBadge, CopyButton } from '../components/inline';
import { Banner } from '../components/banner';
import { humanize } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { AddStaffDialog, type StaffDone, MemberActions } from './member-actions';
import { RolePoliciesPanel } from './role-policies-panel';
import { LeaveConfirmation } from '../components/leave-confirmation';

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or e-mail', kind: 'search' },
  { name: 'role', label: 'Role', kind: 'choice', choices: named(STAFF_ROLES) },
  {
    name: 'disabled',
    label: 'Status',
    kind: 'choice',
    choices: named({ false: 'may sign in', true: 'disabled' }),
  },
];

const columnsFor = (onDone: (done: StaffDone) => void): Column<Schema['ListedStaffResponse']>[] => [
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
  { header: 'Role', cell: ({ role }) => humanize(role) },
  {
    header: 'Status',
    cell: ({ disabled, one_time_password_until }) => (
      <>
        <StatusBadge tone={disabled ? 'bad' : 'good'}>{disabled ? 'disabled' : 'may sign in'}</StatusBadge>
        {one_time_password_until && (
          <div className="gr-dimmed">
            invited until <Time at={one_time_password_until} />
          </div>
        )}
      </>
    ),
  },
  {
    id: 'factor',
    header: 'Second factor',
    cell: ({ second_factor, passkeys }) => (
      <StatusBadge tone={second_factor || passkeys > 0 ? 'good' : 'warn'}>
        {second_factor ? 'on' : passkeys > 0 ? 'passkey' : 'off'}
      </StatusBadge>
    ),
  },
  {
    id: 'last',
    header: 'Last sign-in',
    cell: ({ last_sign_in_at: at }) =>
      at === null ? <span className="gr-dimmed">never</span> : <Time at={at} relative />,
  },
  {
    header: 'Since',
    wide: 'tablet',
    cell: ({ created_at }) => <Time at={created_at} dateOnly />,
  },
  { header: 'Actions', cell: (member) => <MemberActions member={member} onDone={onDone} /> },
];

const LISTING = listing(['staff'], '/admin/staff', FILTERS);

export const { firstQueries } = LISTING;

export default function StaffPage() {
  const listed = useListing(LISTING);
  const [done, setDone] = useState<StaffDone | null>(null);
  const [handed, setHanded] = useState<Required<StaffDone> | null>(null);
  const show = ({ text, invitation }: StaffDone) => {
    setDone(invitation === undefined ? { text } : null);
    if (invitation !== undefined) setHanded({ text, invitation });
  };
  const [columns] = useState(() => columnsFor(show));
  return (
    <>
      <PageHeader title="Staff" hint="Who may sign in here, and what they may do.">
        <OpenButton variant="filled" label="Add a member…">
          {(close) => <AddStaffDialog onDone={show} onClose={close} />}
        </OpenButton>
      </PageHeader>
      <Stack>
        {done && <Banner tone="good">{done.text}</Banner>}
        {handed && <InvitationBanner {...handed} />}
        <Panel>
          <FilteredList
            name="Staff"
            {...listed}
            columns={columns}
            rowId={({ id }) => id}
            empty="No member matches these filters."
          />
        </Panel>
        <RolePoliciesPanel />
      </Stack>
    </>
  );
}

function InvitationBanner({ text, invitation }: { text: string; invitation: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <Banner tone="warn" title={text}>
      <Stack gap="xs" mt="xs" align="flex-start">
        Send this link to them now; it is not shown again. It signs them in, and they choose a password.
        <code className="gr-secret" aria-label="The invitation">
          {invitation}
        </code>
        <CopyButton value={invitation} what="the invitation" onCopy={() => setCopied(invitation)} />
        <LeaveConfirmation
          when={copied !== invitation}
          title="Leave without the invitation?"
          text="You have not copied it, and it cannot be shown again. The person would need another one."
        />
      </Stack>
    </Banner>
  );
}
