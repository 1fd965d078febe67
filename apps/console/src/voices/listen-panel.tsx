import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { api, unwrap } from '../api/client';
import { fieldProblem, toProblem } from '../api/problem';
import { Notice } from '../components/notice';
import { Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { ReasonField, useReason } from '../components/reason-field';
import { SoundPicture } from './sound-picture';
import { decode, type Sound } from './spectrum';
import type { VoiceDetail } from './voice-query';

export interface Recording {
  url: string;
  /** Null when this browser cannot decode it: it may still play it. */
  sound: Sound | null;
}

/** The recording, once the staff member has given a reason. The server records it. */
export function ListenPanel({ voice: { voice, status } }: { voice: VoiceDetail }) {
  const { voice_id: voiceId, samples } = voice;
  const [sampleId, setSampleId] = useState(samples[0]?.sample_id);
  const reason = useReason();
  const listen = useMutation({
    mutationFn: () => fetchRecording(voiceId, sampleId, reason.trimmed),
    onSuccess: reason.remember,
  });
  useEffect(() => listen.data && (() => URL.revokeObjectURL(listen.data.url)), [listen.data]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.check()) listen.mutate();
  };
  return (
    <Panel title="Recording">
      {listen.data ? (
        <Player recording={listen.data} isRejected={status === 'rejected'} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="sm">
            {samples.length > 1 && (
              <NativeSelect
                label="Recording"
                data={samples.map(({ sample_id, file_name }) => ({ value: sample_id, label: file_name }))}
                value={sampleId}
                onChange={(event) => setSampleId(event.currentTarget.value)}
              />
            )}
            <ReasonField
              reason={reason}
              label="Why do you listen?"
              description="That you listened, and why, goes to the audit log."
              error={fieldProblem(listen.error, 'reason')}
            />
            {isLost(listen.error) ? (
              <Notice tone="warn" alert>
                The recording is not in the audio store any more, so it cannot be played. Its measurements and
                its grade stay.
              </Notice>
            ) : (
              <ProblemNotice error={listen.error} fields={['reason']} />
            )}
            <Group>
              <Button type="submit" loading={listen.isPending}>
                Listen
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Panel>
  );
}

/** The recording with its picture. `player` is for keys that play and pause it. */
export function Player({
  recording: { url, sound },
  isRejected,
  player: given,
}: {
  recording: Recording;
  isRejected: boolean;
  player?: RefObject<HTMLAudioElement | null>;
}) {
  const own = useRef<HTMLAudioElement | null>(null);
  const player = given ?? own;
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

/** The voice names the sample itself: what was not found is its audio. */
function isLost(error: unknown): boolean {
  return error !== null && toProblem(error).code === 'sample_not_found';
}

/** Fetches a recording; that it was listened to goes to the audit log. */
export async function fetchRecording(
  voiceId: string,
  sampleId: string | undefined,
  reason: string,
): Promise<Recording> {
  const params = { path: { voice_id: voiceId }, query: { reason, sample_id: sampleId } };
  const blob = await unwrap(api.GET('/admin/voices/{voice_id}/audio', { params, parseAs: 'blob' }));
  const sound = await decode(await blob.arrayBuffer()).catch(() => null);
  return { url: URL.createObjectURL(blob), sound };
}
