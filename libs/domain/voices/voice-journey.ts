import type { ReviewState } from '../reviews/review-state';
import type { SafetyState } from './voice-safety';

/** What a voice has become at some time: states of its review, and what happened to it before and beside. */
export type JourneyState =
  | 'designed'
  | 'previewed'
  | 'created'
  | 'recording_stored'
  | ReviewState
  | 'waiting_for_a_person'
  | 'decided_by_a_person'
  | 'appealed'
  | 'appeal_answered'
  | SafetyState
  | 'released';

export interface JourneyMoment {
  state: JourneyState;
  at: Date;
}

/** From a moment to the next one; without an end it is what the voice is now. */
export interface JourneyStep extends JourneyMoment {
  endedAt: Date | null;
}

/**
 * The moments of a voice as one way through its states. Moments at the same time keep their order; a state that follows
 * itself is one step.
 */
export function journeyOf(moments: readonly JourneyMoment[]): JourneyStep[] {
  const inOrder = [...moments].sort((a, b) => a.at.getTime() - b.at.getTime());
  const steps = inOrder.filter(({ state }, place) => state !== inOrder[place - 1]?.state);
  return steps.map(({ state, at }, place) => ({ state, at, endedAt: steps[place + 1]?.at ?? null }));
}
