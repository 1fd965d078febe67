import { FAILED_STATES, PENDING_REVIEW_STATES, VERDICT_STATES } from '@app/domain/reviews/review-state';

const listed = (states: readonly string[]) => `(${states.map((state) => `'${state}'`).join(', ')})`;

/** The states of the domain as SQL lists, for `state IN …`: literals, which let the planner use indexes that name them. */
export const PENDING_SQL = listed(PENDING_REVIEW_STATES);
export const FAILED_SQL = listed(FAILED_STATES);
export const VERDICT_SQL = listed(VERDICT_STATES);
/** A customer waits for the review, or staff must look at it. */
export const OPEN_SQL = listed([...PENDING_REVIEW_STATES, 'stalled']);
