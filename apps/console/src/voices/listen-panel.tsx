import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { api, unwrap } from '../api/client';
import { fieldProblem } from '../api/problem';
import { Notice } from '../components/notice';
import { Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { SoundPicture } from './sound-picture';
import { decode, type Sound } from './spectrum';
import type { VoiceDetail } from './voice-query';

interface Recording {
  url: string;
  /** Null when this browser cannot decode it: it may still play it. */
  sound: Sound | null;
}

/** The recording, once the staff member has given a reason. The server records it. */
export function ListenPanel({ voice: { voice, status } }: { voice: VoiceDetail }) {
  const { voice_id: voiceId, samples } = voice;
  const [sampleId, setSampleId] = useState(samples[0]?.sample_id);
  const [reason, setReason] = useState('');
  const listen = useMutation({ mutationFn: () => fetchRecording(voiceId, sampleId, reason.trim()) });
  useEffect(() => listen.data && (() => URL.revokeObjectURL(listen.data.url)), [listen.data]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    listen.mutate();
  };
  return (
    <Panel title="Recording">
      {listen.data ? (
        <Player recording={listen.data} isRejected={status === 'rejected'} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Group align="flex-end" gap="sm">
              {samples.length > 1 && (
                <NativeSelect
                  label="Recording"
                  data={samples.map(({ sample_id, file_name }) => ({ value: sample_id, label: file_name }))}
                  value={sampleId}
                  onChange={(event) => setSampleId(event.currentTarget.value)}
                />
              )}
              <TextInput
                label="Why do you listen?"
                description="That you listened, and why, goes to the audit log."
                required
                style={{ flex: '1 1 16rem' }}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
                error={fieldProblem(listen.error, 'reason')}
              />
              <Button type="submit" loading={listen.isPending}>
                Listen
              </Button>
            </Group>
            <ProblemNotice error={listen.error} fields={['reason']} />
          </Stack>
        </form>
      )}
    </Panel>
  );
}

function Player({ recording: { url, sound }, isRejected }: { recording: Recording; isRejected: boolean }) {
  const player = useRef<HTMLAudioElement | null>(null);
  return (
    <Stack gap="sm">
      <audio
        ref={player}
        src={url}
        controls
        preload="auto"
        aria-label="Recording"
        style={{ width: '100%' }}
      />
      {sound ? (
        <SoundPicture sound={sound} player={player} />
      ) : (
        <Notice tone="warn">
          This browser cannot draw the recording{isRejected ? ': the review could not read it either' : ''}.
        </Notice>
      )}
    </Stack>
  );
}

async function fetchRecording(
  voiceId: string,
  sampleId: string | undefined,
  reason: string,
): Promise<Recording> {
  const params = { path: { voice_id: voiceId }, query: { reason, sample_id: sampleId } };
  const blob = await unwrap(api.GET('/admin/voices/{voice_id}/audio', { params, parseAs: 'blob' }));
  const sound = await decode(await blob.arrayBuffer()).catch(() => null);
  return { url: URL.createObjectURL(blob), sound };
}
