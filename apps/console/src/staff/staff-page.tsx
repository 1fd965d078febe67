import { STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { Stack, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Schema, api, read, refresh } from '../api/client';
import { OpenButton, ActionButton } from '../components/action-dialog';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Name, Noted, Time, StatusBadge, CopyButton } from '../components/inline';
import { Banner, ProblemBanner } from '../components/banner';
import { humanize, formatNumber, plural } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { AddStaffDialog, type StaffDone, MemberActions } from './member-actions';
import { LeaveConfirmation } from '../components/leave-confirmation';

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or e-mail', kind: 'search' },
  { name: 'role', label: 'Role', choices: STAFF_ROLES },
  { name: 'disabled', label: 'Status', choices: { false: 'may sign in', true: 'disabled' } },
];

const columnsFor = (onDone: (done: StaffDone) => void): Column<Schema['ListedStaffResponse']>[] => [
  {
    id: 'name',
    header: 'Who',
    cell: ({ name, email }) => (
      <Noted note={<bdi>{email}</bdi>}>
        <Name>{name}</Name>
      </Noted>
    ),
  },
  { header: 'Role', cell: ({ role }) => humanize(role) },
  {
    header: 'Status',
    cell: ({ disabled, one_time_password_until: until }) => (
      <Noted
        note={
          until && (
            <>
              invited until <Time at={until} />
            </>
          )
        }
      >
        <StatusBadge tone={disabled ? 'bad' : 'good'}>{disabled ? 'disabled' : 'may sign in'}</StatusBadge>
      </Noted>
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
    cell: ({ last_sign_in_at: at }) => <Time at={at} relative />,
  },
  { header: 'Since', wide: 'tablet', cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
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
          <FilteredList name="Staff" {...listed} columns={columns} empty="No member matches these filters." />
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

type Policy = Schema['RolePolicyResponse'];

const KEY = ['role-policies'];

function RolePoliciesPanel() {
  const query = useQuery(read(KEY, '/admin/roles'));
  return (
    <Panel title="Second factor by role" gap="xs">
      <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />
      {query.data?.items.map((policy) => (
        <Group key={policy.role} justify="space-between">
          <div>
            <Text>{humanize(policy.role)}</Text>
            <span className="gr-dimmed">{whoHasNone(policy)}</span>
          </div>
          <Group gap="sm">
            <StatusBadge tone={policy.second_factor_required ? 'good' : 'warn'}>
              {policy.second_factor_required ? 'required' : 'optional'}
            </StatusBadge>
            <ChangeButton policy={policy} />
          </Group>
        </Group>
      ))}
    </Panel>
  );
}

function ChangeButton({ policy }: { policy: Policy }) {
  const { role, second_factor_required: required } = policy;
  const change = async (reason: string) => {
    const body = { second_factor_required: !required, reason };
    await api.PATCH('/admin/roles/{role}', role, body, policy);
    await refresh(KEY);
  };
  return (
    <ActionButton
      label={`${verb(policy)}…`}
      name={`${verb(policy)} of ${humanize(role)}`}
      size="xs"
      title={verb(policy)}
      of={humanize(role)}
      consequence={
        required
          ? 'Members of this role may remove their second factor.'
          : `${whoHasNone(policy)} ${REQUIRED}`
      }
      onConfirm={change}
    />
  );
}

const REQUIRED =
  'Those without one must set it up before they can do anything else, including in open sessions.';

/** What requiring it would meet. */
function whoHasNone({ members, without_second_factor: without }: Policy): string {
  if (members === 0) return 'No active members.';
  const all = plural(members, 'active member');
  return without === 0
    ? `${all}, none without a second factor.`
    : `${formatNumber(without)} of ${all} ${without === 1 ? 'has' : 'have'} no second factor.`;
}

const verb = ({ second_factor_required }: Policy): string =>
  second_factor_required ? 'Make it optional' : 'Require it';
