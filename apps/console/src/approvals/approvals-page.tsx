import { APPROVAL_STATUSES } from '@app/domain/approvals/approvals';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { Differences } from '../audit-log/differences';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { named, type Filter } from '../components/list-filters';
import { useListSearch } from '../components/list-search';
import { UserText } from '../components/name';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { StatusBadge, type Tone } from '../components/status-badge';
import { Time } from '../components/time';
import { WATCH_MS } from '../components/watch';
import { ApprovalActions, type Decision } from './approval-actions';
import { ApprovalTarget } from './approval-target';

type Approval = Schema['ApprovalResponse'];

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', choices: named(APPROVAL_STATUSES) },
  {
    name: 'requested_by',
    label: 'Requested by',
    kind: 'choice',
    choices: [
      { value: 'me', label: 'me' },
      { value: 'others', label: 'others' },
    ],
  },
  { name: 'account_id', label: 'Account', kind: 'account' },
];

const TONES: Record<Approval['status'], Tone> = {
  waiting: 'warn',
  approved: 'good',
  declined: 'bad',
  withdrawn: 'calm',
  expired: 'calm',
};

function columnsFor(onDone: (decision: Decision) => void): Column<Approval>[] {
  return [
    {
      id: 'what',
      header: 'What',
      cell: (approval) => (
        <div style={{ overflowWrap: 'anywhere' }}>
          <ApprovalTarget approval={approval} />
          <div className="gr-dimmed">
            <UserText>{approval.reason}</UserText>
          </div>
        </div>
      ),
    },
    {
      id: 'change',
      header: 'Change',
      cell: ({ before, after }) => <Differences before={before} after={after} />,
    },
    {
      id: 'requested',
      header: 'Requested',
      cell: ({ requested_at: at, requested_by: by }) => (
        <div style={{ overflowWrap: 'anywhere' }}>
          <bdi>{by}</bdi>
          <div className="gr-dimmed">
            <Time at={at} relative />
          </div>
        </div>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      cell: (approval) => (
        <div style={{ overflowWrap: 'anywhere' }}>
          <StatusBadge tone={TONES[approval.status]}>{approval.status}</StatusBadge>
          <Standing approval={approval} />
          <ApprovalActions approval={approval} onDone={onDone} />
        </div>
      ),
    },
  ];
}

function Standing({ approval }: { approval: Approval }) {
  const { status, decided_by: by, decided_at: at, decision_reason: why } = approval;
  if (approval.is_stale)
    return <div className="gr-dimmed">Its target has changed since: it can no longer be approved.</div>;
  if (status === 'waiting')
    return (
      <div className="gr-dimmed">
        until <Time at={approval.expires_at} />
      </div>
    );
  if (at === null || status === 'expired') return null;
  return (
    <div className="gr-dimmed">
      by <bdi>{by}</bdi> <Time at={at} relative />
      {why !== null && (
        <>
          : <UserText>{why}</UserText>
        </>
      )}
    </div>
  );
}

/** Changes that wait for a second person, and those that have. */
export function ApprovalsPage() {
  const list = useListSearch(FILTERS);
  const [done, setDone] = useState<Decision | null>(null);
  const query = useQuery({
    ...readPage(['approvals', list.search], '/admin/approvals', { query: list.query }),
    refetchInterval: WATCH_MS,
  });
  const columns = useMemo(() => columnsFor(setDone), []);
  return (
    <Stack>
      <PageHeader title="Approvals" hint="Changes that need a second person. You cannot approve your own." />
      {done && (
        <ReceiptBanner of={done.of} receipt={done.receipt}>
          {done.text}
        </ReceiptBanner>
      )}
      <Panel>
        <Stack>
          <FilterBar list={list} />
          <DataTable
            name="Approvals"
            query={query}
            columns={columns}
            rowId={({ id }) => id}
            list={list}
            empty="No change has needed a second person yet, or none matches these filters. Which changes need one is set for the whole installation."
          />
        </Stack>
      </Panel>
    </Stack>
  );
}
