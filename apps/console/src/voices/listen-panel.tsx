import { Button, Group, Stack } from '@mantine/core';
import { Choice } from '../components/choice';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type FormEvent, type RefObject } from 'react';
import { api, unwrap } from '../api/client';
import { fieldProblem, toProblem } from '../api/problem';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { ReasonField, useReason } from '../components/reason-field';
import { findingsOf } from './findings';
import { FindingsList } from './findings-list';
import { SoundPicture } from './sound-picture';
import { decode, type Sound } from './spectrum';
import type { VoiceDetail } from './voice-query';

/** A reason whose place is to be heard; a new object for each wish. */
export interface RequestedPlace {
  code: string;
}

/** What is heard before a place, so that it is not over at once. */
const LEAD_SECS = 0.3;

export interface Recording {
  url: string;
  /** Null when this browser cannot decode it: it may still play it. */
  sound: Sound | null;
}

/** The recording, once the staff member has typed a reason. The server records it. */
export function ListenPanel({
  voice: detail,
  requested,
}: {
  voice: VoiceDetail;
  requested: RequestedPlace | null;
}) {
  const { voice, status } = detail;
  const { voice_id: voiceId, samples } = voice;
  const [sampleId, setSampleId] = useState(samples[0]?.sample_id);
  const panel = useRef<HTMLDivElement | null>(null);
  const reason = useReason();
  const listen = useMutation({
    mutationFn: () => fetchRecording(voiceId, sampleId, reason.trimmed),
    onSuccess: reason.remember,
  });
  useEffect(() => () => listen.data && URL.revokeObjectURL(listen.data.url), [listen.data]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.check()) listen.mutate();
  };
  const decidedOn = samples.find(({ hash }) => hash === detail.verdict?.audio_sha256)?.sample_id;
  const { reset } = listen;
  // The reasons of a voice are those of the recording that decided.
  useEffect(() => {
    if (!requested || !decidedOn) return;
    if (sampleId !== decidedOn) {
      setSampleId(decidedOn);
      reset();
    }
    panel.current?.scrollIntoView({ block: 'nearest' });
    panel.current?.querySelector('textarea')?.focus();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a wish is followed once
  }, [requested]);
  return (
    <div ref={panel}>
      <Panel title="Recording">
        {listen.data ? (
          <Stack gap="sm">
            <Player
              recording={listen.data}
              isRejected={status === 'rejected'}
              measured={measuredOf(detail, sampleId)}
              requested={requested}
            />
            {samples.length > 1 && (
              <Group>
                <Button variant="default" onClick={() => listen.reset()}>
                  Another recording
                </Button>
              </Group>
            )}
          </Stack>
        ) : (
          <form onSubmit={submit}>
            <Stack gap="sm">
              {samples.length > 1 && (
                <Choice
                  label="Recording"
                  data={samples.map(({ sample_id, file_name }) => ({ value: sample_id, label: file_name }))}
                  value={sampleId}
                  onPick={setSampleId}
                />
              )}
              <ReasonField
                reason={reason}
                label="Why are you listening?"
                description="The audit log keeps that you listened, and why."
                error={fieldProblem(listen.error, 'reason')}
              />
              {isLost(listen.error) ? (
                <Banner tone="warn" alert>
                  The recording is no longer in the audio store, so it cannot be played. Its measurements and
                  its grade stay.
                </Banner>
              ) : (
                <ProblemBanner error={listen.error} fields={['reason']} />
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
    </div>
  );
}

/** The recording with its picture, and its findings, if any. `player` is for keys that play and pause it. */
export function Player({
  recording: { url, sound },
  isRejected,
  player: input,
  measured = null,
  requested = null,
}: {
  recording: Recording;
  isRejected: boolean;
  measured?: Measured;
  requested?: RequestedPlace | null;
  player?: RefObject<HTMLAudioElement | null>;
}) {
  const own = useRef<HTMLAudioElement | null>(null);
  const player = input ?? own;
  const findings = useMemo(() => (measured ? findingsOf(measured) : []), [measured]);
  const playFrom = (fromSecs: number) => {
    if (player.current) playAt(player.current, Math.max(0, fromSecs - LEAD_SECS));
  };
  useEffect(() => {
    const finding = requested && findings.find(({ codes }) => (codes as string[]).includes(requested.code));
    if (finding) playFrom(finding.stretches[0]?.fromSecs ?? 0);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a wish is followed once
  }, [requested]);
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
        <SoundPicture sound={sound} player={player} findings={findings} />
      ) : (
        <Banner tone="warn">
          This browser cannot draw the recording{isRejected ? ': the review could not read it either' : ''}.
        </Banner>
      )}
      {findings.length > 0 && (
        <FindingsList findings={findings} onPlay={(_, stretch) => playFrom(stretch?.fromSecs ?? 0)} />
      )}
      {measured && !measured.places && (
        <div className="gr-dimmed">
          This review did not keep where its findings are. Review the voice again to see them.
        </div>
      )}
    </Stack>
  );
}

/** Plays from a moment, once the player knows how long the recording is. */
function playAt(player: HTMLAudioElement, secs: number): void {
  if (player.readyState === HTMLMediaElement.HAVE_NOTHING) {
    player.addEventListener('loadedmetadata', () => playAt(player, secs), { once: true });
    return;
  }
  player.currentTime = secs;
  // A browser may want a click on the player itself first.
  player.play().catch(() => undefined);
}

type Measured = NonNullable<VoiceDetail['verdict']>['measurements'];

/** What the latest review measured on one recording of a voice; null when it did not, or did not keep it. */
export function measuredOf({ voice, verdict }: VoiceDetail, sampleId: string | undefined): Measured {
  const own = verdict?.samples?.find((each) => each.sample_id === sampleId)?.measurements;
  const decided =
    voice.samples.find(({ sample_id }) => sample_id === sampleId)?.hash === verdict?.audio_sha256;
  return own ?? (decided ? (verdict?.measurements ?? null) : null);
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
