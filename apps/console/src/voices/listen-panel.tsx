import { Button, Group, Stack } from '@mantine/core';
import { Choice, submitting } from '../components/fields';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ComponentProps } from 'react';
import { client, unwrap } from '../api/client';
import { fieldProblem, toProblem } from '../api/problem';
import { Banner, ProblemBanner } from '../components/banner';
import { UserText } from '../components/inline';
import { ReasonField, useReason } from '../components/reason-field';
import { findingsOf } from './findings';
import { Player, type Recording, type RequestedPlace } from './player';
import { decode } from './spectrum';
import type { VoiceDetail } from './voice-query';

/** The recording, once the staff member has given a reason, which stays for the case. The server records each listening. */
export function ListenPanel(props: { voice: VoiceDetail; requested: RequestedPlace | null }) {
  const { voice: detail, requested } = props;
  const { samples, voice_id: voiceId } = detail.voice;
  const [sampleId, setSampleId] = useState(samples[0]?.sample_id);
  const panel = useRef<HTMLDivElement | null>(null);
  const reason = useReason('', true);
  const [isAsking, setAsking] = useState(reason.held() === null);
  const listen = useMutation({
    mutationFn: (why: string) => fetchRecording(voiceId, sampleId, why),
    onError: () => setAsking(true),
  });
  useEffect(() => () => listen.data && URL.revokeObjectURL(listen.data.url), [listen.data]);
  const submit = submitting(() => {
    if (!reason.check()) return;
    const onSuccess = () => {
      reason.remember();
      setAsking(false);
    };
    listen.mutate(reason.trimmed, { onSuccess });
  });
  const start = () => {
    const held = reason.held();
    if (held !== null && !isAsking) return listen.mutate(held);
    setAsking(true);
    panel.current?.querySelector('textarea')?.focus();
  };
  const pick = (id: string | undefined) => {
    setSampleId(id);
    listen.reset();
  };
  const decidedOn = samples.find(({ hash }) => hash === detail.verdict?.audio_sha256)?.sample_id;
  // The reasons of a voice are those of the recording that decided.
  useEffect(() => {
    if (!requested) return;
    if (decidedOn && sampleId !== decidedOn) pick(decidedOn);
    panel.current?.scrollIntoView({ block: 'nearest' });
    if (!listen.data || sampleId !== decidedOn) start();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a wish is followed once
  }, [requested]);
  const measured = measuredOf(detail, sampleId);
  const sample = samples.find(({ sample_id }) => sample_id === sampleId);
  return (
    <div ref={panel}>
      <Player
        key={sampleId}
        recording={listen.data ?? null}
        durationSecs={sample?.duration_secs ?? 0}
        findings={measured ? findingsOf(measured) : []}
        lufs={measured?.loudnessLufs ?? null}
        requested={requested}
        isPending={listen.isPending}
        onListen={start}
        aside={
          samples.length > 1 && (
            <SampleChoice
              aria-label="Recording of this voice"
              {...{ samples }}
              value={sampleId}
              onPick={pick}
            />
          )
        }
      >
        {isAsking ? (
          <form onSubmit={submit}>
            <Stack gap="sm">
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
              <Button type="submit" style={{ alignSelf: 'start' }} loading={listen.isPending}>
                Listen
              </Button>
            </Stack>
          </form>
        ) : (
          !listen.data && (
            <span className="gr-dimmed">
              {listen.isPending ? 'Fetching the recording…' : 'Press Space to listen.'}
            </span>
          )
        )}
      </Player>
      <Group gap="xs" className="gr-dimmed" mt={4}>
        {!isAsking && (
          <>
            <span>
              The audit log keeps that you listen, for: <UserText>{reason.text}</UserText>
            </span>
            <Button size="compact-xs" variant="subtle" onClick={() => (listen.reset(), setAsking(true))}>
              Another reason
            </Button>
          </>
        )}
        {measured && !measured.places && (
          <span>This review did not keep where its findings are. Review the voice again to see them.</span>
        )}
      </Group>
    </div>
  );
}

export const SampleChoice = ({
  samples,
  ...props
}: ComponentProps<typeof Choice> & Pick<VoiceDetail['voice'], 'samples'>) => (
  <Choice
    {...props}
    data={samples.map(({ sample_id, file_name }) => ({ value: sample_id, label: file_name }))}
  />
);

type Measured = NonNullable<VoiceDetail['verdict']>['measurements'];

/** What the latest review measured on one recording of a voice; null when it did not, or did not keep it. */
export function measuredOf({ voice, verdict }: VoiceDetail, sampleId: string | undefined): Measured {
  const own = verdict?.samples?.find((each) => each.sample_id === sampleId)?.measurements;
  const decided =
    voice.samples.find(({ sample_id }) => sample_id === sampleId)?.hash === verdict?.audio_sha256;
  return own ?? (decided ? (verdict?.measurements ?? null) : null);
}

/** The voice names the sample itself: what was not found is its audio. */
const isLost = (error: unknown): boolean => error !== null && toProblem(error).code === 'sample_not_found';

/** Fetches a recording; that it was listened to goes to the audit log. */
export async function fetchRecording(
  voiceId: string,
  sampleId: string | undefined,
  reason: string,
): Promise<Recording> {
  const params = { path: { voice_id: voiceId }, query: { reason, sample_id: sampleId } };
  const blob = await unwrap(client.GET('/admin/voices/{voice_id}/audio', { params, parseAs: 'blob' }));
  const sound = await decode(await blob.arrayBuffer()).catch(() => null);
  return { url: URL.createObjectURL(blob), sound };
}
