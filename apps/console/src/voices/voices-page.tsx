import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Schema, api, read, refresh, useMay } from '../api/client';
import { AccountName, VoiceName, UserText, plainName, Time } from '../components/inline';
import { ActionDialog, type DoingToAll } from '../components/action-dialog';
import { Banner } from '../components/banner';
import type { Column } from '../components/data-table';
import { DownloadButton } from '../components/download-button';
import { Tick } from '../components/fields';
import { FilteredList } from '../components/filtered-list';
import { Tags } from '../components/labels';
import { describeAll, type ListSearch } from '../components/list-filters';
import { filtersOf, asQuery, listing, useListing } from '../components/list-search';
import { Loaded, PageHeader, Panel } from '../components/page';
import { NearestNames } from '../components/nearest-names';
import { plural } from '../components/number';
import { useSelection } from '../components/selection';
import { reasonWords } from './reason-words';
import { GradeBadge, StateBadge } from './voice-badge';
import { VOICE_FILTERS } from './voice-filters';

export const COLUMNS: Column<Schema['StaffVoiceResponse']>[] = [
  {
    header: 'Name',
    sort: 'name',
    cell: ({ voice_id, name, tags }) => (
      <>
        <VoiceName id={voice_id} name={name} />
        <Tags tags={tags} to="/voices" />
      </>
    ),
  },
  { header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
  { header: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { header: 'Grade', cell: ({ recording_quality }) => <GradeBadge grade={recording_quality} /> },
  {
    header: 'Reason',
    wide: 'tablet',
    // A review that got through later has a grade with a reason of its own.
    cell: ({ status, recording_quality_reason: reason, failure }) => {
      const words = reasonWords(reason ?? '');
      const hasFailed = failure !== null && status !== 'completed';
      return (
        <div className="gr-cut gr-dimmed" style={{ maxWidth: '22cqi' }} title={hasFailed ? failure : words}>
          {hasFailed ? 'the review failed' : <UserText>{words}</UserText>}
        </div>
      );
    },
  },
  {
    header: 'Last step',
    wide: 'tablet',
    sort: 'reviewed_at',
    cell: ({ reviewed_at }) => <Time at={reviewed_at} relative />,
  },
  { header: 'Created', sort: 'created_at', cell: ({ created_at }) => <Time at={created_at} relative /> },
];

/** What customers chose over what, of every account or of the one that the list is narrowed to. */
const preferencesOf = ({ account_id }: ListSearch): string =>
  `/admin/preferences/export${account_id ? `?account_id=${encodeURIComponent(account_id)}` : ''}`;

const LISTING = listing(['voices'], '/admin/voices', VOICE_FILTERS);

export const { firstQueries } = LISTING;

export default function VoicesPage() {
  const listed = useListing(LISTING);
  const { list } = listed;
  const selection = useSelection(list);
  const may = useMay();
  const [reviewing, review] = useDisclosure();
  const [started, setStarted] = useState<number | null>(null);
  const filters = filtersOf(list.query);
  const isNarrowed = Object.keys(filters).length > 0;
  const done = (count: number) => {
    setStarted(count);
    selection.clear();
  };
  return (
    <>
      <PageHeader title="Voices">
        <DownloadButton href={preferencesOf(filters)}>Export preferences</DownloadButton>
        {may('voices.review') && (
          <Button component={Link} variant="default" to="/rulesets">
            Compare rules
          </Button>
        )}
      </PageHeader>
      <Stack>
        {started !== null && (
          <Banner tone="good">A new review of {plural(started, 'voice')} was requested.</Banner>
        )}
        <Panel>
          <FilteredList
            views={{ screen: 'voices' }}
            bulk={
              <Button size="compact-sm" onClick={review.open}>
                Review again…
              </Button>
            }
            name="Voices"
            {...listed}
            columns={COLUMNS}
            rowId={({ voice_id }) => voice_id}
            rowName={({ name }) => plainName(name)}
            selection={may('voices.review') ? selection : undefined}
            defaultSort="-created_at"
            empty={
              <>
                {isNarrowed ? 'No voice matches these filters.' : 'No customer has created a voice yet.'}
                <NearestNames kind="voice" typed={list.search.search} />
              </>
            }
          />
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

function BulkReviewDialog({ filters, what, onDone, onClose }: DoingToAll<number>) {
  const [force, setForce] = useState(false);
  const query = asQuery({ ...filters, force: String(force) });
  const preview = useQuery({
    ...read(['bulk-review', filters, force], '/admin/voices/re-review', query),
    staleTime: 0,
  });
  const { count = 0, confirm = '' } = preview.data ?? {};
  const start = async (reason: string) => {
    const call = api.POST('/admin/voices/re-review', query, { reason, confirm });
    onDone((await call.finally(() => void preview.refetch())).started);
    await refresh(['voices']);
  };
  return (
    <ActionDialog
      title="Review many voices again"
      of={what}
      consequence={
        <Loaded query={preview} lines={1}>
          {() => (
            <>
              <strong>{plural(count, 'voice')}</strong> of {what} without a review in progress. They are
              reviewed after those that customers wait for, and customers see them in review until then.
            </>
          )}
        </Loaded>
      }
      action="Review them again"
      typed={count > 0 ? confirm : undefined}
      disabled={count === 0}
      onConfirm={start}
      onClose={onClose}
    >
      <Tick
        label="Also voices that a person has graded"
        description="Their grades are replaced by what the review finds."
        checked={force}
        onPick={setForce}
      />
    </ActionDialog>
  );
}
