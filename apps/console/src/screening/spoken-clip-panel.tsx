import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { fieldProblem } from '../api/problem';
import { VoiceName, Name, UserText } from '../components/name';
import { OpenButton } from '../components/action-button';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Empty, Panel } from '../components/page';
import { plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { useRefusal } from '../components/use-fields';

type SpokenHere = Schema['SpokenHereResponse'];

/** What a request may have, as base64: some 45 s of MP3 with 128 kbit/s. */
const MOST_BYTES = 750_000;

/** Which item of the history of any customer a clip was cut out of. */
export function SpokenClipPanel() {
  const [found, setFound] = useState<(SpokenHere & { file: string }) | null>(null);
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
      {found && <Found {...found} />}
    </Panel>
  );
}

function Found({ file, items, waiting }: SpokenHere & { file: string }) {
  return (
    <>
      {items.length === 0 ? (
        <Empty title={`${file} was not spoken here, as far as the history goes`} />
      ) : (
        <SimpleTable
          name={`What ${file} was cut out of`}
          rows={items}
          rowId={({ history_item_id: id }) => id}
          columns={[
            { header: 'Text', cell: ({ text }) => <UserText>{text}</UserText> },
            {
              header: 'Voice',
              cell: ({ account, voice_id: voiceId, voice_name: name }) => (
                <>
                  <VoiceName id={voiceId} name={name} />
                  <div className="gr-dimmed">
                    <Name>{account.name}</Name>
                  </div>
                </>
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
      )}
      {waiting > 0 && (
        <div className="gr-dimmed">{plural(waiting, 'item')} of the history are not looked at yet.</div>
      )}
    </>
  );
}

function ClipDialog({
  onFound,
  onClose,
}: Closing & { onFound: (found: SpokenHere & { file: string }) => void }) {
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
