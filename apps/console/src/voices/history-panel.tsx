import { Stack } from '@mantine/core';
import type { Schema } from '../api/client';
import { Foreign } from '../components/name';
import { words } from '../components/number';
import { Panel } from '../components/page';
import { StatusBadge, type Tone } from '../components/status-badge';
import { Time } from '../components/time';
import { GradeBadge, StateBadge } from './voice-badge';
import type { VoiceDetail } from './voice-query';

const OUTCOME_TONES: Record<Schema['AttemptResponse']['outcome'], Tone> = {
  running: 'info',
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
  cancelled: 'calm',
};

/** The history of a voice's reviews: attempts, verdicts, and every step with its cause, newest first. */
export function HistoryPanel({ voice: { attempts, history, timeline } }: { voice: VoiceDetail }) {
  return (
    <Panel title="History">
      <Stack>
        <Attempts attempts={attempts} />
        <Verdicts history={history} />
        <ol className="gr-timeline" aria-label="Timeline, newest first">
          {timeline.toReversed().map((step) => (
            <li key={`${step.at} ${step.to} ${step.cause}`}>
              <StateBadge state={step.to} /> <Time at={step.at} />{' '}
              <span className="gr-dimmed">
                review {step.generation}, by {step.actor}
              </span>
              <Cause text={step.cause} />
            </li>
          ))}
        </ol>
      </Stack>
    </Panel>
  );
}

function Attempts({ attempts }: { attempts: VoiceDetail['attempts'] }) {
  if (attempts.length === 0) return <div className="gr-dimmed">No attempt yet.</div>;
  return (
    <ol className="gr-timeline" aria-label="Attempts, newest first">
      {attempts.toReversed().map((attempt) => (
        <li key={`${attempt.generation} ${attempt.number}`}>
          Review {attempt.generation}, attempt {attempt.number}{' '}
          <StatusBadge tone={OUTCOME_TONES[attempt.outcome]}>{attempt.outcome}</StatusBadge>{' '}
          <Time at={attempt.started_at} />
          <span className="gr-dimmed">
            {attempt.ended_at &&
              `, ${((Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)) / 1_000).toFixed(1)} s`}
            , {attempt.worker}
          </span>
          {attempt.failure !== null && <Cause text={attempt.failure} />}
        </li>
      ))}
    </ol>
  );
}

function Verdicts({ history }: { history: VoiceDetail['history'] }) {
  if (history.length < 2) return null;
  return (
    <ol className="gr-timeline" aria-label="Verdicts, newest first">
      {history.map((verdict) => (
        <li key={`${verdict.generation} ${verdict.completed_at}`}>
          Verdict of review {verdict.generation} <GradeBadge grade={verdict.grade} />{' '}
          <Time at={verdict.completed_at} />{' '}
          <span className="gr-dimmed">
            {verdict.ruleset}, decided by {words(verdict.decided_by)}
          </span>
          <Cause text={verdict.reason} />
        </li>
      ))}
    </ol>
  );
}

/** Its first line; the rest on demand. */
function Cause({ text }: { text: string }) {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0)
    return (
      <p className="gr-cause">
        <Foreign>{first}</Foreign>
      </p>
    );
  return (
    <details>
      <summary>
        <Foreign>{first}</Foreign>
      </summary>
      <pre className="gr-cause gr-mono" tabIndex={0}>
        <Foreign>{rest.join('\n')}</Foreign>
      </pre>
    </details>
  );
}
