import { Box } from '@mantine/core';
import { useId } from 'react';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { secondsText } from '../components/times-text';
import { journeyDiagram, secsOf, type JourneyEdge, type JourneyNode } from './journey';
import type { VoiceDetail } from './voice-query';

/** As in voices.css: the height of a state, and what is between two. */
const STATE_PX = 52;
const GAP_PX = 22;
/** Room beside the states for ways that pass or go back. */
const LANE_PX = 56;
/** Arrivals and departures at a state, apart from each other. */
const APART_PX = 9;

/** The states that a voice has been in, how long, and what followed what; and the same step by step. */
export function JourneyPanel({ voice: { journey } }: { voice: VoiceDetail }) {
  const { nodes, edges } = journeyDiagram(journey);
  return (
    <Panel title="Journey">
      <Box className="gr-journey" pos="relative" maw="26rem" mb="md" px={56}>
        <Ways edges={edges} />
        <ol className="gr-states" aria-label="States of the voice">
          {nodes.map((node) => (
            <li key={node.state} aria-current={node.since === null ? undefined : 'step'}>
              <strong>{humanize(node.state)}</strong>
              <span className="gr-dimmed">
                <Stay node={node} />
              </span>
            </li>
          ))}
        </ol>
      </Box>
      <details>
        <summary>Step by step</summary>
        <ol className="gr-timeline" aria-label="Journey, step by step">
          {journey.map((step) => (
            <li key={`${step.state} ${step.at}`}>
              <Time at={step.at} /> {humanize(step.state)}{' '}
              <span className="gr-dimmed">
                {step.ended_at === null ? 'until now' : `for ${lengthText(secsOf(step))}`}
              </span>
            </li>
          ))}
        </ol>
      </details>
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

function lengthText(secs: number): string {
  return secs < 0.001 ? 'under 1 ms' : secondsText(secs);
}

/** Arrows between the states; what they say is in the list of steps, too. */
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
