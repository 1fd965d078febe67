import { Group, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type Schema, useMay } from '../api/client';
import { AccountName, VoiceName, UserText, Time } from '../components/inline';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { filtersOf, listing, useListing } from '../components/list-search';
import { formatNumber } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ChangedLettersBanner, RetryButton, type ChangedLetters, FailureCauses } from './dead-letters';
import { HistoryButton } from './jobs-panel';

type Letter = Schema['DeadLetterResponse'];

const FILTERS: readonly Filter[] = [
  { name: 'cause', label: 'Cause', kind: 'search' },
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'created_since', label: 'Created since', kind: 'date' },
];
/** New ones appear without a reload. */
const WATCH_MS = 5_000;

const LISTING = listing(['dead-letters'], '/admin/dead-letters', FILTERS);

export const { firstQueries } = LISTING;

export default function DeadLettersPage() {
  const { list, query } = useListing(LISTING, { refetchInterval: WATCH_MS });
  const may = useMay();
  const [changed, setChanged] = useState<ChangedLetters | null>(null);
  const filters = filtersOf(list.query);
  const columns = useMemo(() => columnsFor(may('queues.retry') ? setChanged : null), [may]);
  const isNarrowed = Object.keys(filters).length > 0;
  const total = query.data?.total ?? 0;
  return (
    <>
      <PageHeader title="Dead letters" hint="Reviews that failed after their last attempt.">
        {may('queues.retry') && total > 1 && (
          <RetryButton filters={filters} label={`Try all ${formatNumber(total)} again`} onDone={setChanged} />
        )}
      </PageHeader>
      <Stack>
        {changed && <ChangedLettersBanner changed={changed} />}
        {query.data && query.data.causes.length > 0 && (
          <Panel title="Causes">
            <FailureCauses causes={query.data.causes} filters={filters} onDone={setChanged} />
          </Panel>
        )}
        <Panel>
          <FilteredList
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
        </Panel>
      </Stack>
    </>
  );
}

function columnsFor(onRetry: ((changed: ChangedLetters) => void) | null): Column<Letter>[] {
  const columns: Column<Letter>[] = [
    {
      id: 'name',
      header: 'Voice',
      sort: 'name',
      cell: ({ voice_id, name }) => <VoiceName id={voice_id} name={name} />,
    },
    { header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
    { header: 'Cause', cell: ({ cause }) => <UserText>{cause ?? 'not recorded'}</UserText> },
    { header: 'Attempts', number: true, cell: ({ attempts }) => formatNumber(attempts) },
    {
      id: 'since',
      header: 'Failed at',
      sort: 'reviewed_at',
      cell: ({ since }) => <Time at={since} relative />,
    },
  ];
  const actions: Column<Letter> = {
    id: 'actions',
    header: 'Action',
    cell: (letter) => (
      <Group gap={4}>
        {onRetry && (
          <RetryButton
            letter={letter}
            filters={{}}
            label="Try again"
            name={`Try again: ${letter.name}`}
            onDone={onRetry}
          />
        )}
        <HistoryButton queue="voice-review" id={letter.voice_id} name={letter.name} />
      </Group>
    ),
  };
  return [...columns, actions];
}
