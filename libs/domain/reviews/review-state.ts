/** The job that reviews the recording of one voice, once per generation. */
export const REVIEW_VOICE = 'review-voice';

/** Cause of a generation that replaces one whose job was lost; it was not requested. */
export const JOB_LOST = 'job lost';

/** Cause of the end of an attempt whose worker was stopped in order. It does not count as one. */
export const HANDED_BACK = 'its worker was stopped';

/** The same for one that has measured as much audio as fits into a turn. */
export const TURN_OVER = 'its turn was over';

/** The same for one whose machine was too busy to measure a recording. */
export const MACHINE_BUSY = 'its machine was too busy';

/** Ends of attempts after which no attempt is spent. */
export const NOT_ATTEMPTS: readonly string[] = [HANDED_BACK, TURN_OVER, MACHINE_BUSY];

/**
 * The states of a voice's review, which may follow which, and what the public sees of each.
 * Every transition in the code goes through this table.
 */
const REVIEW_TRANSITIONS = {
  // To itself: its job was lost and a new one is enqueued.
  queued: ['running', 'queued', 'stalled', 'cancelled'],
  // To itself: its worker is gone and another one took over.
  running: ['completed', 'rejected', 'retry_wait', 'running', 'queued', 'stalled', 'cancelled'],
  retry_wait: ['running', 'queued', 'stalled', 'cancelled'],
  stalled: ['queued', 'cancelled'],
  completed: ['queued', 'overridden', 'cancelled'],
  rejected: ['queued', 'overridden', 'cancelled'],
  // To a verdict of the rules: the person who gave the grade has undone it.
  overridden: ['queued', 'overridden', 'completed', 'rejected', 'cancelled'],
  cancelled: ['queued'],
} as const;

export type ReviewState = keyof typeof REVIEW_TRANSITIONS;

export const REVIEW_STATES = Object.keys(REVIEW_TRANSITIONS) as ReviewState[];

/** Whether a review may go from one state to another. */
export function canTransition(from: ReviewState, to: ReviewState): boolean {
  return (REVIEW_TRANSITIONS[from] as readonly ReviewState[]).includes(to);
}

/** The states from which a review may go to `to`. */
export function statesBefore(to: ReviewState): ReviewState[] {
  return REVIEW_STATES.filter((from) => canTransition(from, to));
}

/** States in which a worker still owes the voice a verdict. */
export const PENDING_REVIEW_STATES = ['queued', 'running', 'retry_wait'] as const satisfies ReviewState[];

/** States of a failed attempt: there will be another one, or it was the last. */
export const FAILED_STATES = ['stalled', 'retry_wait'] as const satisfies ReviewState[];

/** States with a verdict. */
export const VERDICT_STATES = ['completed', 'rejected', 'overridden'] as const satisfies ReviewState[];

/** States without a pending attempt, from which staff may request a new review. */
export const SETTLED_STATES = [
  'completed',
  'rejected',
  'stalled',
  'cancelled',
] as const satisfies ReviewState[];

/** Whether staff may cancel the review: while there is no verdict yet. */
export function canCancelReview(state: ReviewState): boolean {
  return isPending(state) || state === 'stalled';
}

/** Why staff may not request a new review; null when they may. */
export function whyNotReviewAgain(
  state: ReviewState,
  { force }: { force: boolean },
): 'pending' | 'overridden' | null {
  if (isPending(state)) return 'pending';
  // A grade that a person gave is not thrown away by accident.
  return state === 'overridden' && !force ? 'overridden' : null;
}

function isPending(state: ReviewState): boolean {
  return (PENDING_REVIEW_STATES as readonly ReviewState[]).includes(state);
}

export type LabellingStatus = 'in_review' | 'review_complete';

/** The public `labelling_status` of a review state. A stalled review has no verdict, so the voice is still in review. */
export function labellingStatusOf(state: ReviewState): LabellingStatus {
  return state === 'completed' || state === 'rejected' || state === 'overridden'
    ? 'review_complete'
    : 'in_review';
}

/** Grades of a recording, best first: the five steps of the ITU-T P.800 absolute category rating scale. */
export const RECORDING_GRADES = ['studio', 'good', 'ok', 'poor', 'bad'] as const;

export type RecordingGrade = (typeof RECORDING_GRADES)[number];
