import { useMemo, useState } from 'react';
import { TextInput } from '@mantine/core';
import { api, type Schema, refresh } from '../api/client';
import { Noted, Person, VoiceName, UserText, Name, Time } from '../components/inline';
import { AccountLabel } from '../components/account-field';
import { ActionButton, OpenButton, type Done, ActionDialog, type Closing } from '../components/action-dialog';
import { DataTable, type Column } from '../components/data-table';
import { listing, useListing } from '../components/list-search';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { fieldProblem } from '../api/problem';
import { SimpleTable } from '../components/simple-table';
import { useRefusal } from '../components/fields';

type BlockedVoice = Schema['BlockedVoiceResponse'];

const KEY = ['no-go-voices'];

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
          <Time at={at} relative /> by <Person by={by} />
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

type Found = Schema['SpokenHereResponse'] & { file: string };

/** What a request may have, as base64: some 45 s of MP3 with 128 kbit/s. */
const MOST_BYTES = 750_000;

export function SpokenClipPanel() {
  const [found, setFound] = useState<Found | null>(null);
  return (
    <Panel
      title="Was this spoken here?"
      actions={
        <OpenButton label="Look for a clip…">
          {(close) => <ClipDialog onFound={setFound} onClose={close} />}
        </OpenButton>
      }
    >
      <p className="gr-dimmed">
        Two seconds of a recording are found in the history of every customer by how they sound, also cut and
        encoded differently.
      </p>
      {found && <SpokenHere {...found} />}
    </Panel>
  );
}

function SpokenHere({ file, items, waiting }: Found) {
  return (
    <>
      <SimpleTable
        name={`What ${file} was cut out of`}
        empty={[`${file} was not spoken here, as far as the history goes`]}
        rows={items}
        rowId={({ history_item_id: id }) => id}
        columns={[
          { header: 'Text', cell: ({ text }) => <UserText>{text}</UserText> },
          {
            header: 'Voice',
            cell: ({ account, voice_id: voiceId, voice_name: name }) => (
              <Noted note={<Name>{account.name}</Name>}>
                <VoiceName id={voiceId} name={name} />
              </Noted>
            ),
          },
          { header: 'Spoken', cell: ({ spoken_at: at }) => <Time at={at} relative /> },
          {
            header: 'How alike',
            number: true,
            cell: ({ agreement, compared_secs: secs }) =>
              `${(agreement * 100).toFixed(0)} % over ${secs.toFixed(1)} s`,
          },
        ]}
      />
      {waiting > 0 && (
        <div className="gr-dimmed">{plural(waiting, 'item')} of the history are not looked at yet.</div>
      )}
    </>
  );
}

function ClipDialog({ onFound, onClose }: Closing & { onFound: (found: Found) => void }) {
  const [file, setFile] = useState<File | null>(null);
  const { problem, keep } = useRefusal();
  const wrong = file && sizeProblem(file);
  const find = async (reason: string) => {
    if (!file) return;
    const body = { audio_base64: await base64Of(file), reason };
    const found = await api.POST('/admin/history/spoken', {}, body).catch(keep);
    onFound({ ...found, file: file.name });
  };
  return (
    <ActionDialog
      title="Look for a clip"
      of={file?.name ?? null}
      consequence="What is found is what customers had spoken. The audit log records who looked, why, and what was found."
      action="Look for it"
      fields={['audio_base64']}
      disabled={file === null || wrong !== null}
      onConfirm={find}
      onClose={onClose}
    >
      <TextInput
        type="file"
        label="Recording"
        description="Choose it or drop it here: at least 2 s. Of a longer one the first 20 s count."
        accept="audio/*,video/mp4,video/webm"
        onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        error={wrong ?? fieldProblem(problem, 'audio_base64')}
      />
    </ActionDialog>
  );
}

function sizeProblem({ size }: File): string | null {
  if (size === 0) return 'The file is empty.';
  if (size <= MOST_BYTES) return null;
  return `The file has ${Math.ceil(size / 1_000)} kB; cut it to ${MOST_BYTES / 1_000} kB or less.`;
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
