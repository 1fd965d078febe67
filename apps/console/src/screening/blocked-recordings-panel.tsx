import { useMemo } from 'react';
import { api, type Schema, refresh } from '../api/client';
import { VoiceName, UserText, Name } from '../components/name';
import { AccountLabel } from '../components/account-field';
import { ActionButton } from '../components/action-button';
import type { Done } from '../components/action-dialog';
import { DataTable, type Column } from '../components/data-table';
import { listing, useListing } from '../components/listing';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

type BlockedVoice = Schema['BlockedVoiceResponse'];

const KEY = ['no-go-voices'];

/** The recordings that staff do not let back, the latest first. They are put there on the page of a voice. */
export function BlockedRecordingsPanel({ onDone }: { onDone: (done: Done) => void }) {
  const listed = useListing(listing(KEY, '/admin/no-go-voices'));
  const columns = useMemo(() => columnsFor(onDone), []);
  return (
    <Panel title="No-go list of recordings">
      <p className="gr-dimmed">
        A later voice with one of these recordings, also encoded differently, waits at the review desk first
        of all, or is held.
      </p>
      <DataTable
        name="No-go list of recordings"
        {...listed}
        columns={columns}
        rowId={({ voice_id }) => voice_id}
        empty="No recording is on the list. One is put there on the page of its voice, under Same recording."
      />
    </Panel>
  );
}

function columnsFor(onDone: (done: Done) => void): Column<BlockedVoice>[] {
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
      cell: (listed) => <RemoveButton listed={listed} onDone={onDone} />,
    },
  ];
}

function RemoveButton({ listed, onDone }: { listed: BlockedVoice; onDone: (done: Done) => void }) {
  const { voice_id: voiceId, name } = listed;
  const remove = async (reason: string) => {
    await api.DELETE('/admin/no-go-voices/{voice_id}', voiceId, { reason });
    onDone({ text: 'The recording is off the no-go list.', of: name });
    await refresh(KEY, ['same-recordings']);
  };
  return (
    <ActionButton
      label="Allow again…"
      name={`Allow again: ${name}`}
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
    />
  );
}
