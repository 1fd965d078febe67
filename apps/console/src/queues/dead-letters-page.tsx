import { Button, Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { describeAll, type Filter } from '../components/list-filters';
import { filtersOf, useListSearch } from '../components/list-search';
import { Foreign, Name } from '../components/name';
import { Notice } from '../components/notice';
import { formatNumber } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { RetryAllDialog, RetryDialog } from './retry-dialogs';

type Letter = Schema['DeadLetterResponse'];

const FILTERS: readonly Filter[] = [
  { name: 'cause', label: 'Cause', kind: 'search' },
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'created_since', label: 'Created since', kind: 'date' },
];
/** New ones appear without a reload. */
const WATCH_MS = 5_000;

/** Reviews that failed after their last attempt, with the cause; each waits for staff to retry it. */
export function DeadLettersPage() {
  const list = useListSearch(FILTERS);
  const may = useMay();
  const [retrying, setRetrying] = useState<Letter | 'all' | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const filters = filtersOf(list.query);
  const query = useQuery({
    queryKey: ['dead-letters', list.search],
    queryFn: () => unwrap(api.GET('/admin/dead-letters', { params: { query: list.query } })),
    placeholderData: keepPreviousData,
    refetchInterval: WATCH_MS,
  });
  const columns = useMemo(
    () => columnsFor(may('voices.read'), may('queues.retry') ? setRetrying : null),
    [may],
  );
  const isNarrowed = Object.keys(filters).length > 0;
  const dialog = { onDone: setDone, onClose: () => setRetrying(null) };
  return (
    <>
      <PageHeader title="Dead letters" hint="Reviews that failed after their last attempt.">
        {may('queues.retry') && (
          <Button disabled={!query.data?.total} onClick={() => setRetrying('all')}>
            {isNarrowed ? 'Try again all that match…' : 'Try all again…'}
          </Button>
        )}
      </PageHeader>
      <Stack>
        {done !== null && <Notice tone="good">{done}</Notice>}
        <Panel>
          <Stack>
            <FilterBar list={list} />
            <Causes causes={query.data?.causes ?? []} onPick={(cause) => list.filter({ cause })} />
            <DataTable
              name="Dead letters"
              query={query}
              columns={columns}
              rowId={({ voice_id }) => voice_id}
              list={list}
              defaultSort="-reviewed_at"
              empty={
                isNarrowed
                  ? 'No dead letter matches these filters.'
                  : 'No review is waiting for you. One that was tried again comes back if it fails again.'
              }
            />
          </Stack>
        </Panel>
      </Stack>
      {retrying === 'all' && (
        <RetryAllDialog filters={filters} what={describeAll(list.search, FILTERS)} {...dialog} />
      )}
      {retrying !== null && retrying !== 'all' && <RetryDialog letter={retrying} {...dialog} />}
    </>
  );
}

/** The most frequent causes; one click narrows the list to one. */
function Causes({
  causes,
  onPick,
}: {
  causes: Schema['DeadLettersResponse']['causes'];
  onPick: (cause: string) => void;
}) {
  if (causes.length < 2) return null;
  return (
    <Group gap="xs" role="group" aria-label="The most frequent">
      {causes.map(({ cause, count }) => (
        <Button
          key={cause}
          size="compact-xs"
          variant="default"
          maw="100%"
          className="gr-shortened"
          onClick={() => onPick(cause.slice(0, 200))}
        >
          {formatNumber(count)} × <Foreign>{cause}</Foreign>
        </Button>
      ))}
    </Group>
  );
}

function columnsFor(mayOpen: boolean, onRetry: ((letter: Letter) => void) | null): Column<Letter>[] {
  const columns: Column<Letter>[] = [
    {
      id: 'name',
      header: 'Voice',
      sort: 'name',
      cell: ({ voice_id, name }) =>
        mayOpen ? (
          <Link to="/voices/$voiceId" params={{ voiceId: voice_id }}>
            <Name>{name}</Name>
          </Link>
        ) : (
          <Name>{name}</Name>
        ),
    },
    { id: 'account', header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
    {
      id: 'cause',
      header: 'Cause',
      cell: ({ cause }) => (
        <span style={{ overflowWrap: 'anywhere' }}>
          <Foreign>{cause ?? 'not recorded'}</Foreign>
        </span>
      ),
    },
    { id: 'attempts', header: 'Attempts', number: true, cell: ({ attempts }) => formatNumber(attempts) },
    {
      id: 'since',
      header: 'Failed at',
      sort: 'reviewed_at',
      cell: ({ since }) => <Time at={since} relative />,
    },
  ];
  if (onRetry === null) return columns;
  const retry: Column<Letter> = {
    id: 'retry',
    header: 'Action',
    cell: (letter) => (
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onRetry(letter)}
        aria-label={`Try again: ${letter.name}`}
      >
        Try again…
      </Button>
    ),
  };
  return [...columns, retry];
}
