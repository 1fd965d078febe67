import { Button, Stack } from '@mantine/core';
import { AccountName, VoiceName } from '../components/account-name';
import { DownloadButton } from '../components/download-button';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { Tags } from '../components/labels';
import { FilterBar } from '../components/filter-bar';
import { describeAll, type ListSearch } from '../components/list-filters';
import { filtersOf, type Listed, listOf, useListSearch } from '../components/list-search';
import { UserText, plainName } from '../components/name';
import { Banner } from '../components/banner';
import { plural } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { SelectionBar, useSelection } from '../components/selection';
import { SavedViews } from '../components/saved-views';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import type { FirstQueries } from '../api/first-queries';
import { BulkReviewDialog } from './bulk-review-dialog';
import { reasonWords } from './reason-words';
import { GradeBadge, StateBadge } from './voice-badge';
import { VOICE_FILTERS } from './voice-filters';

export const COLUMNS: Column<Schema['StaffVoiceResponse']>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ voice_id, name, tags }) => (
      <>
        <VoiceName id={voice_id} name={name} />
        <Tags tags={tags} to="/voices" />
      </>
    ),
  },
  { id: 'account', header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
  { id: 'status', header: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { id: 'grade', header: 'Grade', cell: ({ recording_quality }) => <GradeBadge grade={recording_quality} /> },
  {
    id: 'reason',
    header: 'Reason',
    wide: 'tablet',
    cell: ({ recording_quality_reason: reason, failure }) => (
      <div
        className="gr-cut gr-dimmed"
        style={{ maxWidth: '22cqi' }}
        title={failure ?? reasonWords(reason ?? '')}
      >
        <UserText>{failure ?? reasonWords(reason ?? '')}</UserText>
      </div>
    ),
  },
  {
    id: 'reviewed',
    header: 'Reviewed',
    wide: 'tablet',
    sort: 'reviewed_at',
    cell: ({ reviewed_at }) => <Time at={reviewed_at} relative />,
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} relative />,
  },
];

/** What customers chose over what, of every account or of the one that the list is narrowed to. */
function preferencesOf({ account_id }: ListSearch): string {
  return `/admin/preferences/export${account_id ? `?account_id=${encodeURIComponent(account_id)}` : ''}`;
}

const listQuery = ({ search, query }: Listed) => readPage(['voices', search], '/admin/voices', query);

export const firstQueries: FirstQueries = ({ search }) => [listQuery(listOf(search, VOICE_FILTERS))];

/** All voices: searched, filtered, reviewed again in bulk. */
export function VoicesPage() {
  const list = useListSearch(VOICE_FILTERS);
  const selection = useSelection(list);
  const may = useMay();
  const [reviewing, review] = useDisclosure();
  const [started, setStarted] = useState<number | null>(null);
  const filters = filtersOf(list.query);
  const isNarrowed = Object.keys(filters).length > 0;
  const query = useQuery(listQuery(list));
  const done = (count: number) => {
    setStarted(count);
    selection.clear();
  };
  return (
    <>
      <PageHeader title="Voices">
        <DownloadButton href={preferencesOf(filters)}>Export preferences</DownloadButton>
        {may('voices.review') && (
          <Button variant="default" renderRoot={(props) => <Link to="/rulesets" {...props} />}>
            Compare rules
          </Button>
        )}
      </PageHeader>
      <Stack>
        {started !== null && (
          <Banner tone="good">A new review of {plural(started, 'voice')} was requested.</Banner>
        )}
        <Panel>
          <Stack>
            <FilterBar list={list} />
            <SavedViews screen="voices" list={list} />
            <SelectionBar
              selection={selection}
              shown={query.data?.items.length ?? 0}
              total={query.data?.total}
              canSelectAll={isNarrowed}
            >
              <Button size="compact-sm" onClick={review.open}>
                Review again…
              </Button>
            </SelectionBar>
            <DataTable
              name="Voices"
              query={query}
              columns={COLUMNS}
              rowId={({ voice_id }) => voice_id}
              rowName={({ name }) => plainName(name)}
              list={list}
              selection={may('voices.review') ? selection : undefined}
              defaultSort="-created_at"
              empty={
                <>
                  {isNarrowed ? 'No voice matches these filters.' : 'No customer has created a voice yet.'}
                  <NearestNames kind="voice" typed={list.search.search} />
                </>
              }
            />
          </Stack>
        </Panel>
      </Stack>
      {reviewing && (
        <BulkReviewDialog
          filters={selection.all ? filters : { ids: [...selection.ids].join(',') }}
          what={
            selection.all
              ? `those that match ${describeAll(list.search, VOICE_FILTERS)}`
              : `the ${plural(selection.ids.size, 'selected voice')}`
          }
          onDone={done}
          onClose={review.close}
        />
      )}
    </>
  );
}
