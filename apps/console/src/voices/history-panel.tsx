import { Box, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Schema } from '../api/client';
import { Cause } from '../components/cause';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/banner';
import { StatusBadge, type Tone, Time } from '../components/inline';
import { secondsText } from '../components/times-text';
import { Differences, EventSentence, type AuditEvent } from '../audit-log/event';
import { eventsAbout } from '../audit-log/newest-events';
import { journeyDiagram, type JourneyEdge, type JourneyNode } from './journey';
import { GradeBadge, StateBadge } from './voice-badge';
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
      <Stack component="ol" className="gr-timeline" gap="sm" aria-label="History, newest first">
        {entries.map(({ id: key, at, text }) => (
          <li key={key}>
            <Time at={at} /> {text}
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

/** What the reviews and the audit log know of a voice as one list, newest first. */
function historyOf({ timeline, attempts, history }: VoiceDetail, events: AuditEvent[]) {
  const entries = [
    ...timeline.map((step) => ({
      id: `step ${step.generation} ${step.to} ${step.at}`,
      at: step.at,
      text: (
        <>
          <StateBadge state={step.to} />{' '}
          <span className="gr-dimmed">
            review {step.generation}, by {step.actor}
          </span>
          <Cause text={step.cause} />
        </>
      ),
    })),
    ...attempts.map(({ generation, number, outcome, worker, failure, started_at: at, ended_at: to }) => ({
      id: `attempt ${generation} ${number}`,
      at,
      text: (
        <>
          Review {generation}, attempt {number}{' '}
          <StatusBadge tone={OUTCOME_TONES[outcome]}>{humanize(outcome)}</StatusBadge>
          <span className="gr-dimmed">
            {to && `, ${((Date.parse(to) - Date.parse(at)) / 1_000).toFixed(1)} s`}, {worker}
          </span>
          {failure !== null && <Cause text={failure} />}
        </>
      ),
    })),
    ...history.map((verdict) => ({
      id: `verdict ${verdict.generation} ${verdict.completed_at}`,
      at: verdict.completed_at,
      text: (
        <>
          Verdict of review {verdict.generation} <GradeBadge grade={verdict.grade} />{' '}
          <span className="gr-dimmed">
            {verdict.ruleset}, decided by {humanize(verdict.decided_by)}
          </span>
          <Cause text={verdict.reason} />
        </>
      ),
    })),
    ...events.map((event) => ({
      id: `event ${event.id}`,
      at: event.at,
      text: (
        <>
          <EventSentence event={event} />
          <Differences before={event.before} after={event.after} />
        </>
      ),
    })),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** As in voices.css: the height of a state, and what is between two. */
const STATE_PX = 52;
const GAP_PX = 22;
/** Room beside the states for ways that pass or go back. */
const LANE_PX = 56;
/** Arrivals and departures at a state, apart from each other. */
const APART_PX = 9;

export function JourneyPanel({ voice: { journey } }: { voice: VoiceDetail }) {
  const { nodes, edges } = journeyDiagram(journey);
  return (
    <Panel title="Journey">
      <Box className="gr-journey" pos="relative" maw="26rem" px={56}>
        <Ways edges={edges} />
        <Stack component="ol" className="gr-states" gap={22} aria-label="States of the voice">
          {nodes.map((node) => (
            <li key={node.state} aria-current={node.since === null ? undefined : 'step'}>
              <strong>{humanize(node.state)}</strong>
              <span className="gr-dimmed">
                <Stay node={node} />
              </span>
            </li>
          ))}
        </Stack>
      </Box>
    </Panel>
  );
}

function Stay({ node: { visits, secs, since } }: { node: JourneyNode }) {
  const times = visits === 1 ? '' : `${visits} times, `;
  if (since === null) return `${times}${lengthText(secs)}${visits === 1 ? '' : ' in all'}`;
  return (
    <>
      {times}now, since <Time at={since} relative />
    </>
  );
}

const lengthText = (secs: number): string => (secs < 0.001 ? 'under 1 ms' : secondsText(secs));

function Ways({ edges }: { edges: JourneyEdge[] }) {
  const head = useId();
  const toHead = `url(#${head})`;
  return (
    <svg aria-hidden>
      <defs>
        <marker
          id={head}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8Z" fill="var(--ink-2)" stroke="none" />
        </marker>
      </defs>
      {edges.map((edge) =>
        edge.to === edge.from + 1 ? (
          <line
            key={keyOf(edge)}
            x1="50%"
            x2="50%"
            y1={middleOf(edge.from) + STATE_PX / 2}
            y2={middleOf(edge.to) - STATE_PX / 2}
            markerEnd={toHead}
          />
        ) : (
          <svg key={keyOf(edge)} x={edge.to > edge.from ? '0' : '100%'} overflow="visible">
            <path d={arcOf(edge)} markerEnd={toHead} />
          </svg>
        ),
      )}
    </svg>
  );
}

const keyOf = ({ from, to }: JourneyEdge) => `${from} ${to}`;

const middleOf = (place: number) => place * (STATE_PX + GAP_PX) + STATE_PX / 2;

/** Ahead on the left, back on the right; the further, the wider. */
function arcOf({ from, to }: JourneyEdge): string {
  const side = to > from ? 1 : -1;
  const start = LANE_PX * side;
  const bend = start - side * Math.min(LANE_PX * 1.25, 22 + 10 * Math.abs(to - from));
  const [y1, y2] = [middleOf(from) + side * APART_PX, middleOf(to) - side * APART_PX];
  return `M${start} ${y1}C${bend} ${y1} ${bend} ${y2} ${start} ${y2}`;
}
