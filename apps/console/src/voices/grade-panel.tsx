import { ALL_RULESETS } from '@app/domain/reviews/recording-rulesets';
import { RECORDING_GRADES, type RecordingGrade } from '@app/domain/reviews/review-state';
import { Button, Text } from '@mantine/core';
import type { Schema } from '../api/client';
import { Banner, HandOver } from '../components/banner';
import { Person, StatusBadge, UserText, Time, CopyButton } from '../components/inline';
import { Folded, Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { plural } from '../components/number';
import { secondsText } from '../components/times-text';
import { findingsOf } from './findings';
import { MeasurementTable, pointsText, pointsTone } from './measurement-table';
import { GRADE_TONES, GradeBadge } from './voice-badge';
import type { VoiceDetail } from './voice-query';

export function GradePanel({ voice: { voice, verdict } }: { voice: VoiceDetail }) {
  const grade = voice.recording_quality;
  return (
    <Panel title="Grade">
      {grade === null ? (
        <div className="gr-dimmed">None yet.</div>
      ) : (
        <Text className="gr-grade" c="dimmed" data-tone={GRADE_TONES[grade]}>
          <strong>{grade}</strong>{' '}
          {verdict?.score != null && (
            <>
              <b>{verdict.score.toFixed(2)}</b> of 5{distanceText(grade, verdict.score, verdict.ruleset)}
            </>
          )}
        </Text>
      )}
      {grade !== null && <GradeScale grade={grade} verdict={verdict} />}
      {verdict && (
        <div className="gr-dimmed gr-small">
          Decided <Time at={verdict.completed_at} relative /> by <Person by={verdict.decided_by} />, rules{' '}
          <span className="gr-mono">{verdict.ruleset}</span>, measured in{' '}
          {secondsText(verdict.took_ms / 1_000)}.
          {verdict.low_confidence && ' Low confidence: little to measure on.'}
        </div>
      )}
    </Panel>
  );
}

const UPWARDS = RECORDING_GRADES.toReversed();

/** The five grades, each as wide as the others, and where the score is among their bounds. */
function GradeScale({ grade, verdict }: { grade: RecordingGrade; verdict: VoiceDetail['verdict'] }) {
  const bounds = verdict && boundsOf(verdict.ruleset);
  const place = bounds && verdict.score !== null && placeOf(verdict.score, bounds);
  return (
    <div className="gr-scale" aria-hidden>
      {UPWARDS.map((each) => (
        <span key={each} data-tone={each === grade ? GRADE_TONES[each] : undefined}>
          {each}
        </span>
      ))}
      {typeof place === 'number' && <i style={{ left: `${place * 20}%`, bottom: 'auto', height: 12 }} />}
    </div>
  );
}

/** The score at which each grade begins, from the worst on, and the best score; null for rules that were removed. */
function boundsOf(ruleset: string): number[] | null {
  const grades = ALL_RULESETS.find(({ id }) => id === ruleset)?.grades;
  return grades ? [1, grades.poor, grades.ok, grades.good, grades.studio, 5] : null;
}

/** In grades, from 0 to 5. */
function placeOf(score: number, bounds: number[]): number {
  const step = Math.max(
    0,
    bounds.findLastIndex((bound, place) => place < 5 && bound <= score),
  );
  return step + Math.max(0, score - bounds[step]!) / (bounds[step + 1]! - bounds[step]!);
}

function distanceText(grade: RecordingGrade, score: number, ruleset: string): string {
  const next = UPWARDS.indexOf(grade) + 1;
  const bound = boundsOf(ruleset)?.[next];
  if (next === 5 || bound === undefined || bound <= score) return '';
  return `, ${(bound - score).toFixed(2)} below ${UPWARDS[next]}`;
}

/** Why, with what each trouble takes off the score. A reason that has a place in the recording plays it. */
export function WhyPanel(props: {
  voice: VoiceDetail;
  /** Without it, reasons lead nowhere: the recording may not be played. */
  onReason?: (code: string) => void;
}) {
  const { onReason } = props;
  const { voice, verdict, reasons } = props.voice;
  const findings = verdict?.measurements ? findingsOf(verdict.measurements) : [];
  const placed = new Set<string>(
    findings.filter(({ stretches }) => stretches.length > 0).flatMap(({ codes }) => codes),
  );
  if (!voice.recording_quality && reasons.length === 0) return null;
  return (
    <Panel title="Why">
      {reasons.length === 0 ? (
        'Every measurement is within its target.'
      ) : (
        <ul className="gr-why" aria-label="Reasons">
          {reasons.map(({ code, sentence, numbers }) => {
            const points = verdict?.impairments?.[code];
            return (
              <li key={code}>
                <StatusBadge tone={pointsTone(points ?? 0)}> </StatusBadge>
                <div>
                  <UserText>{sentence}</UserText>
                  {numbers && <div className="gr-dimmed gr-small">{numbers}</div>}
                </div>
                {points !== undefined && (
                  <span title="What it alone takes off the score">{pointsText(points)}</span>
                )}
                {onReason && placed.has(code) && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={`Hear it: ${sentence}`}
                    onClick={() => onReason(code)}
                  >
                    Hear it
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

export function ForCustomerPanel({ voice: { safety, for_customer: text } }: { voice: VoiceDetail }) {
  // What is held or taken down says so, and why.
  if (safety) return null;
  return (
    <Panel
      title="For the customer"
      actions={<CopyButton value={text} what="the sentence for the customer" />}
    >
      <blockquote className="gr-quote">{text}</blockquote>
    </Panel>
  );
}

export function Progress({ voice: { status, attempts, timeline } }: { voice: VoiceDetail }) {
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
      <>
        <Banner
          tone="bad"
          title="The review failed after its last attempt; nothing happens until a new review is requested."
        >
          <FailureDetails cause={last?.cause} />
        </Banner>
        <HandOver permission="voices.review" to="request another review" />
      </>
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

export function MeasurementsPanel({ verdict }: { verdict: VoiceDetail['verdict'] }) {
  return (
    <Panel title="Measurements">
      {verdict && verdict.targets.length > 0 ? (
        <MeasurementTable targets={verdict.targets} impairments={verdict.impairments} />
      ) : (
        <div className="gr-dimmed">Nothing has been measured yet.</div>
      )}
      {verdict?.second_opinion && <SecondOpinion {...verdict.second_opinion} />}
    </Panel>
  );
}

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

/** The grade of each recording of a voice that has several. The voice has that of the worst. */
export function SamplesPanel({ voice: { voice, verdict } }: { voice: VoiceDetail }) {
  const { samples } = voice;
  if (samples.length < 2) return null;
  const graded = new Map(verdict?.samples?.map((each) => [each.sample_id, each]));
  return (
    <Panel title={plural(samples.length, 'recording')}>
      <SimpleTable
        name="Recordings"
        rows={samples}
        rowId={({ sample_id: id }) => id}
        columns={[
          { header: 'Recording', cell: ({ file_name: name }) => <UserText>{name}</UserText> },
          { header: 'Seconds', number: true, cell: ({ duration_secs: secs }) => secs.toFixed(1) },
          {
            header: 'Grade',
            cell: ({ sample_id: id }) => <GradeBadge grade={graded.get(id)?.grade ?? null} />,
          },
          { header: 'Reasons', cell: ({ sample_id: id }) => graded.get(id)?.reason ?? 'not reviewed yet' },
        ]}
      />
    </Panel>
  );
}
