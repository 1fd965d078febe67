import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import { CopyButton } from '../components/copy-button';
import { Facts } from '../components/facts';
import { Folded } from '../components/folded';
import { UserText } from '../components/name';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { secondsText } from '../components/times-text';
import { findingsOf } from './findings';
import { MeasurementBars } from './measurement-bars';
import { GradeBadge, StateBadge } from './voice-badge';
import type { VoiceDetail } from './voice-query';

/** What the customer may know. */
export function VerdictSentence({
  voice: { voice, status, safety, for_customer: text },
}: {
  voice: VoiceDetail;
}) {
  // What is held or taken down says so, and why.
  if (safety) return null;
  const grade = voice.recording_quality;
  return (
    <Banner
      tone={status === 'stalled' || grade === 'bad' || grade === 'poor' ? 'warn' : 'info'}
      title="For the customer"
    >
      <Group gap="xs">
        <span>{text}</span>
        <CopyButton value={text} what="the sentence for the customer" />
      </Group>
    </Banner>
  );
}

/** Where the review stands, what it found, and why. A reason that has a place in the recording leads there. */
export function VerdictPanel({
  voice,
  onReason,
}: {
  voice: VoiceDetail;
  /** Without it, reasons lead nowhere: the recording may not be played. */
  onReason?: (code: string) => void;
}) {
  const { verdict, reasons, status } = voice;
  const placed = new Set<string>(
    verdict?.measurements ? findingsOf(verdict.measurements).flatMap(({ codes }) => codes) : [],
  );
  return (
    <Panel title="Verdict">
      <Stack gap="sm">
        <Progress voice={voice} />
        <Facts
          facts={[
            ['Status', <StateBadge state={status} />],
            ['Grade', <GradeBadge grade={voice.voice.recording_quality} />],
            ...(verdict ? factsOf(verdict) : []),
          ]}
        />
        {reasons.length > 0 && (
          <ul style={{ margin: 0, paddingLeft: '1.1rem' }} aria-label="Reasons">
            {reasons.map(({ code, sentence, numbers }) => (
              <li key={code}>
                {onReason && placed.has(code) ? (
                  <button type="button" className="gr-reason" onClick={() => onReason(code)}>
                    {sentence}
                  </button>
                ) : (
                  sentence
                )}
                {numbers && <div className="gr-dimmed">{numbers}</div>}
              </li>
            ))}
          </ul>
        )}
        {voice.voice.recording_quality && reasons.length === 0 && (
          <div>Every measurement is within its target.</div>
        )}
      </Stack>
    </Panel>
  );
}

function factsOf(verdict: NonNullable<VoiceDetail['verdict']>): [string, ReactNode][] {
  return [
    ['Score', verdict.score === null ? 'none' : verdict.score.toFixed(2)],
    ['Decided', <Time at={verdict.completed_at} />],
    ['Decided by', verdict.decided_by],
    ['Rules', <span className="gr-mono">{verdict.ruleset}</span>],
    ['Measured in', secondsText(verdict.took_ms / 1_000)],
    ...(verdict.low_confidence ? [['Confidence', 'low: little to measure on'] as [string, ReactNode]] : []),
  ];
}

/** What the voice waits for while it has no verdict. */
function Progress({ voice: { status, attempts, timeline } }: { voice: VoiceDetail }) {
  const last = timeline.at(-1);
  if (status === 'queued') return <Banner tone="info">Waits for a worker. This page updates itself.</Banner>;
  if (status === 'running') {
    const attempt = attempts.at(-1);
    return (
      <Banner tone="info">
        {attempt ? `Attempt ${attempt.number} is under way on ${attempt.worker}.` : 'Under way.'} This page
        updates itself.
      </Banner>
    );
  }
  if (status === 'retry_wait')
    return (
      <Banner tone="warn" title="The last attempt failed; the next one starts automatically.">
        <FailureDetails cause={last?.cause} />
      </Banner>
    );
  if (status === 'stalled')
    return (
      <Banner
        tone="bad"
        title="The review failed after its last attempt; nothing happens until a new review is requested."
      >
        <FailureDetails cause={last?.cause} />
      </Banner>
    );
  return null;
}

/** What operators need to find the fault: what a first reader needs is in the title. */
function FailureDetails({ cause = '' }: { cause?: string }) {
  return (
    <Folded summary="Details">
      <pre className="gr-cause gr-mono" tabIndex={0}>
        <UserText>{cause}</UserText>
      </pre>
    </Folded>
  );
}

/** What was measured. */
export function MeasurementsPanel({ verdict }: { verdict: VoiceDetail['verdict'] }) {
  return (
    <Panel title="Measurements">
      {verdict && verdict.targets.length > 0 ? (
        <MeasurementBars targets={verdict.targets} />
      ) : (
        <div className="gr-dimmed">Nothing has been measured yet.</div>
      )}
      {verdict?.second_opinion && <SecondOpinion {...verdict.second_opinion} />}
    </Panel>
  );
}

/** What a model says of the recording. */
function SecondOpinion({ model, sig, bak, ovrl, p808, problem }: Schema['SecondOpinion']) {
  const score = (value: number | null) => value?.toFixed(1) ?? 'none';
  const scores =
    p808 === null
      ? `speech ${score(sig)}, background ${score(bak)}, overall ${score(ovrl)} of 5, not part of the grade`
      : `overall ${score(p808)} of 5 (P.808)`;
  return (
    <p title={`${model}: 1 is bad, 5 is excellent`} style={{ marginBottom: 0 }}>
      Second opinion (DNSMOS): {problem === null ? scores : `none, ${problem}`}.
    </p>
  );
}
