import { APPROVAL_STATUSES } from '@app/domain/approvals/approvals';
import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { Differences } from '../audit-log/event';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Person, UserText, Time, StatusBadge, type Tone } from '../components/inline';
import { capitalised, plural } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/banner';
import { WATCH_MS } from '../components/watch';
import type { Done } from '../components/action-dialog';
import { ApprovalActions, STALE, ApprovalTarget } from './approval-actions';

type Approval = Schema['ApprovalResponse'];

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', choices: APPROVAL_STATUSES },
  { name: 'requested_by', label: 'Requested by', choices: ['me', 'others'] },
  { name: 'account_id', label: 'Account', kind: 'account' },
];

const TONES: Record<Approval['status'], Tone> = {
  waiting: 'warn',
  approved: 'good',
  declined: 'bad',
  withdrawn: 'calm',
  expired: 'calm',
};

const COLUMNS: Column<Approval>[] = [
  { header: 'What', cell: (approval) => <ApprovalTarget approval={approval} /> },
  {
    id: 'reason',
    header: 'Why',
    wide: 'tablet',
    cell: ({ reason }) => (
      <span className="gr-dimmed">
        <UserText>{reason}</UserText>
      </span>
    ),
  },
  { id: 'requested', header: 'Requested by', cell: ({ requested_by: by }) => <Person by={by} /> },
  { id: 'at', header: 'When', number: true, cell: ({ requested_at: at }) => <Time at={at} relative /> },
  {
    header: 'Status',
    cell: ({ status }) => <StatusBadge tone={TONES[status]}>{status}</StatusBadge>,
  },
];

function ApprovalDetails({ approval, onDone }: { approval: Approval; onDone: (decision: Done) => void }) {
  const { reason, requested_at: at, before, after, status } = approval;
  return (
    <Stack>
      <StatusBadge tone={TONES[status]}>{status}</StatusBadge>
      <Title order={2} fz="xl">
        <ApprovalTarget approval={approval} />
      </Title>
      <div className="gr-dimmed">
        Requested by <Person by={approval.requested_by} /> <Time at={at} relative />.{' '}
        <Standing approval={approval} />
      </div>
      <blockquote className="gr-quote">
        <UserText>{reason}</UserText>
      </blockquote>
      <Differences before={before} after={after} />
      <ApprovalActions approval={approval} onDone={onDone} hasKeys />
    </Stack>
  );
}

function Standing({ approval }: { approval: Approval }) {
  const { status, decided_by: by, decided_at: at, decision_reason: why } = approval;
  if (approval.is_stale) return STALE;
  if (status === 'waiting')
    return (
      <>
        Waits until <Time at={approval.expires_at} />.
      </>
    );
  if (at === null || by === null || status === 'expired') return null;
  return (
    <>
      {capitalised(status)} by <Person by={by} /> <Time at={at} relative />
      {why !== null && (
        <>
          : <UserText>{why}</UserText>
        </>
      )}
    </>
  );
}

function InForce() {
  const { data: policy } = useQuery(read(['approvals', 'policy'], '/admin/approvals/policy'));
  if (!policy) return 'Changes that need a second person. You cannot approve your own.';
  const { entitlements, credits_above: credits, list_removal: lists, bulk_change_above: keys } = policy;
  const waits = [
    entitlements && 'another tier, limit or allow-list entitlement of an account',
    credits !== null && `more than ${plural(credits, 'credit')} at once`,
    lists && 'an allow-list that is removed or made very wide, an exposed key that is restored',
    keys !== null && `a change of more than ${plural(keys, 'key')} at once`,
    'each request of support for credits',
  ].filter((text) => text !== false);
  return (
    <>
      Waits up to {plural(policy.days, 'day')} for a second person: {waits.join('; ')}. You cannot approve
      your own. Set for the whole installation by <code>APPROVAL_OF_…</code> and <code>APPROVAL_DAYS</code> in
      its environment.
    </>
  );
}

const LISTING = listing(['approvals'], '/admin/approvals', FILTERS);

export const { firstQueries } = LISTING;

export default function ApprovalsPage() {
  const listed = useListing(LISTING, { refetchInterval: WATCH_MS });
  const [done, setDone] = useState<Done | null>(null);
  return (
    <Stack>
      <PageHeader title="Approvals" hint={<InForce />} />
      {done && <ReceiptBanner {...done}>{done.text}</ReceiptBanner>}
      <Panel>
        <FilteredList
          name="Approvals"
          {...listed}
          columns={COLUMNS}
          peek={(approval) => <ApprovalDetails key={approval.id} approval={approval} onDone={setDone} />}
          empty="No change has needed a second person yet, or none matches these filters."
        />
      </Panel>
    </Stack>
  );
}
