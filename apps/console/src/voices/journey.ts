import type { JourneyState } from '@app/domain/voices/voice-journey';

/** As the API has it. */
interface Step {
  state: JourneyState;
  at: string;
  ended_at: string | null;
}

export interface JourneyNode {
  state: JourneyState;
  visits: number;
  /** Of all visits that have ended. */
  secs: number;
  /** Since when it is in it; null when it has left it. */
  since: string | null;
}

/** That one state followed another, by their places among the nodes. */
export interface JourneyEdge {
  from: number;
  to: number;
}

export function journeyDiagram(steps: readonly Step[]): { nodes: JourneyNode[]; edges: JourneyEdge[] } {
  const states = [...new Set(steps.map(({ state }) => state))];
  const nodes = states.map((state) => {
    const visits = steps.filter((step) => step.state === state);
    const secs = visits.reduce((sum, visit) => sum + secsOf(visit), 0);
    return { state, visits: visits.length, secs, since: visits.find((visit) => !visit.ended_at)?.at ?? null };
  });
  const edges = new Map<string, JourneyEdge>();
  steps.slice(1).forEach(({ state }, place) => {
    const edge = { from: states.indexOf(steps[place]!.state), to: states.indexOf(state) };
    edges.set(`${edge.from} ${edge.to}`, edge);
  });
  return { nodes, edges: [...edges.values()] };
}

/** How long a step took; 0 for the one that has not ended. */
const secsOf = ({ at, ended_at: end }: Pick<Step, 'at' | 'ended_at'>): number =>
  end === null ? 0 : (Date.parse(end) - Date.parse(at)) / 1_000;
