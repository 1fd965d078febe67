import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { Differences } from '../audit-log/differences';
import { EventSentence } from '../audit-log/event-sentence';
import { eventsAbout } from '../audit-log/newest-events';
import { Cause } from '../components/cause';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { StatusBadge, type Tone } from '../components/status-badge';
import { Time } from '../components/time';
import { GradeBadge, StateBadge } from './voice-badge';
import { historyOf, type HistoryEntry } from './voice-history';
import type { VoiceDetail } from './voice-query';

const OUTCOME_TONES: Record<Schema['AttemptResponse']['outcome'], Tone> = {
  running: 'info',
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
  cancelled: 'calm',
  handed_back: 'calm',
};

/** How many audit events the history shows; the audit log has the others. */
const EVENTS = 100;

/** All that happened to a voice, newest first: steps of its reviews, attempts, verdicts, and what people did with it. */
export function HistoryPanel({ voice }: { voice: VoiceDetail }) {
  const { voice_id: id } = voice.voice;
  const query = useQuery(eventsAbout(id, EVENTS));
  const entries = historyOf(voice, query.data?.items ?? []);
  return (
    <Panel
      title="History"
      actions={
        <Link to="/audit-log" search={{ target: id } as never}>
          Its audit log
        </Link>
      }
    >
      {query.isError && <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />}
      <ol className="gr-timeline" aria-label="History, newest first">
        {entries.map((entry) => (
          <li key={entry.id}>
            <Time at={entry.at} /> <EntryText entry={entry} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function EntryText({ entry }: { entry: HistoryEntry }) {
  if (entry.kind === 'attempt') return <Attempt attempt={entry.attempt} />;
  if (entry.kind === 'verdict') return <Verdict verdict={entry.verdict} />;
  if (entry.kind === 'step') return <Step step={entry.step} />;
  return (
    <>
      <EventSentence event={entry.event} />
      <Differences before={entry.event.before} after={entry.event.after} />
    </>
  );
}

function Step({ step }: { step: VoiceDetail['timeline'][number] }) {
  return (
    <>
      <StateBadge state={step.to} />{' '}
      <span className="gr-dimmed">
        review {step.generation}, by {step.actor}
      </span>
      <Cause text={step.cause} />
    </>
  );
}

function Attempt({ attempt }: { attempt: VoiceDetail['attempts'][number] }) {
  const { started_at: from, ended_at: to } = attempt;
  return (
    <>
      Review {attempt.generation}, attempt {attempt.number}{' '}
      <StatusBadge tone={OUTCOME_TONES[attempt.outcome]}>{humanize(attempt.outcome)}</StatusBadge>
      <span className="gr-dimmed">
        {to && `, ${((Date.parse(to) - Date.parse(from)) / 1_000).toFixed(1)} s`}, {attempt.worker}
      </span>
      {attempt.failure !== null && <Cause text={attempt.failure} />}
    </>
  );
}

function Verdict({ verdict }: { verdict: VoiceDetail['history'][number] }) {
  return (
    <>
      Verdict of review {verdict.generation} <GradeBadge grade={verdict.grade} />{' '}
      <span className="gr-dimmed">
        {verdict.ruleset}, decided by {humanize(verdict.decided_by)}
      </span>
      <Cause text={verdict.reason} />
    </>
  );
}
