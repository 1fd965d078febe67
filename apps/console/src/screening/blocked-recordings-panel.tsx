import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, readPage, type Schema, refresh } from '../api/client';
import { VoiceName, UserText, Name } from '../components/name';
import { AccountLabel } from '../components/account-field';
import { ActionDialog, type Doing, type Done } from '../components/action-dialog';
import { DataTable, type Column } from '../components/data-table';
import { useListSearch } from '../components/list-search';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

type BlockedVoice = Schema['BlockedVoiceResponse'];

const KEY = ['no-go-voices'];

/** The recordings that staff do not let back, the latest first. They are put there on the page of a voice. */
export function BlockedRecordingsPanel({ onDone }: { onDone: (done: Done) => void }) {
  const list = useListSearch();
  const [removing, setRemoving] = useState<BlockedVoice | null>(null);
  const query = useQuery(readPage([...KEY, list.search], '/admin/no-go-voices', list.query));
  const columns = useMemo(() => columnsFor(setRemoving), []);
  return (
    <Panel title="No-go list of recordings">
      <p className="gr-dimmed">
        A later voice with one of these recordings, also encoded differently, waits at the review desk first
        of all, or is held.
      </p>
      <DataTable
        name="No-go list of recordings"
        query={query}
        columns={columns}
        rowId={({ voice_id }) => voice_id}
        list={list}
        empty="No recording is on the list. One is put there on the page of its voice, under Same recording."
      />
      {removing && <RemoveDialog listed={removing} onDone={onDone} onClose={() => setRemoving(null)} />}
    </Panel>
  );
}

function columnsFor(onRemove: (listed: BlockedVoice) => void): Column<BlockedVoice>[] {
  return [
    {
      header: 'Voice',
      cell: ({ voice_id: voiceId, name, account_id: accountId, recordings }) => (
        <>
          <VoiceName id={voiceId} name={name} />
          <div className="gr-dimmed">
            <AccountLabel id={accountId} />
            {recordings > 1 && `, ${formatNumber(recordings)} recordings`}
          </div>
        </>
      ),
    },
    { header: 'Reason', cell: ({ reason }) => <UserText>{reason}</UserText> },
    {
      header: 'Added',
      cell: ({ set_at: at, set_by: by }) => (
        <>
          <Time at={at} relative /> by <bdi>{by}</bdi>
        </>
      ),
    },
    {
      id: 'matches',
      header: 'Came back in',
      cell: ({ matches }) => (matches === 0 ? 'no voice' : plural(matches, 'voice')),
    },
    {
      id: 'remove',
      header: 'Action',
      cell: (listed) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Allow again: ${listed.name}`}
          onClick={() => onRemove(listed)}
        >
          Allow again…
        </Button>
      ),
    },
  ];
}

function RemoveDialog({
  listed: { voice_id: voiceId, name },
  onDone,
  onClose,
}: Doing & { listed: BlockedVoice }) {
  const remove = async (reason: string) => {
    await api.DELETE('/admin/no-go-voices/{voice_id}', voiceId, { reason });
    onDone({ text: 'The recording is off the no-go list.', of: name });
    await refresh(KEY, ['same-recordings']);
  };
  return (
    <ActionDialog
      title="Allow this recording again"
      of={name}
      consequence={
        <>
          Later voices with the recording of <Name>{name}</Name> are treated as any other. Voices that are
          held stay held.
        </>
      }
      action="Allow again"
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
