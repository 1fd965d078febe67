/** Requests that were let in and have something in common. */
export interface TrafficUse {
  requests: number;
}

/** What a setting would have done to a use: not known where it was not recorded in enough detail. */
export type Evaluation = 'allowed' | 'refused' | 'undecided';

export interface EvaluatedTraffic<Use extends TrafficUse> {
  /** All requests that were looked at. */
  requests: number;
  /** Those of them that would have been refused. */
  refused: number;
  /** Those whose outcome is not known. Not among the refused. */
  undecided: number;
  /** What would have been refused, most requests first. */
  refusedUses: Use[];
}

/** The one dry run: what a setting would have done to recorded requests that were let in. */
export function evaluateTraffic<Use extends TrafficUse>(
  uses: readonly Use[],
  evaluate: (use: Use) => Evaluation,
): EvaluatedTraffic<Use> {
  const evaluated = (requested: Evaluation) => uses.filter((use) => evaluate(use) === requested);
  const refusedUses = evaluated('refused').toSorted((a, b) => b.requests - a.requests);
  return {
    requests: sum(uses),
    refused: sum(refusedUses),
    undecided: sum(evaluated('undecided')),
    refusedUses,
  };
}

function sum(uses: readonly TrafficUse[]): number {
  return uses.reduce((total, { requests }) => total + requests, 0);
}
