import { canTransition, type ReviewState } from '@app/domain/reviews/review-state';
import type { EntityManager } from 'typeorm';
import { ReviewEvent } from './review-event.entity';
import type { Voice } from './voice.entity';

/** What became of a review: the state it moves to and why. */
export interface Transition {
  to: ReviewState;
  cause: string;
  actor: string;
}

const MAX_CAUSE_LENGTH = 1_000;

/**
 * Records a transition of a voice's review, in the transaction that makes it.
 *
 * @param voice as it was before
 * @throws Error when the table of transitions does not have it
 */
export async function addReviewEvent(
  voice: Pick<Voice, 'id' | 'reviewGeneration' | 'reviewState'>,
  { to, cause, actor }: Transition,
  em: EntityManager,
): Promise<void> {
  if (!canTransition(voice.reviewState, to))
    throw new Error(`A review that is ${voice.reviewState} cannot become ${to}.`);
  await em.insert(ReviewEvent, {
    voiceId: voice.id,
    generation: voice.reviewGeneration,
    fromState: voice.reviewState,
    toState: to,
    cause: cause.slice(0, MAX_CAUSE_LENGTH),
    actor,
  });
}
