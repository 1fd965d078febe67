import { sentence } from '../common/sentences';
import type { RecordingMeasurements } from './recording-measurements';
import { explainReasons, type ExplainedReason } from './recording-reasons';
import type { RecordingGrade, ReviewState } from './review-state';

/** What the review of a voice has led to, as it is stored. */
interface ReviewOutcome {
  state: ReviewState;
  grade: RecordingGrade | null;
  /** `recording_quality_reason`. */
  reason: string | null;
  measurements: RecordingMeasurements | null;
}

export interface ReviewInWords {
  /** Why the recording is not better; none without a grade. */
  reasons: ExplainedReason[];
  /** The same for the customer, with what happens next: only what will happen without a person. */
  forCustomer: string;
}

const NO_OTHER = 'no other review is under way.';
const REVIEWED_AGAIN = 'It is being reviewed again.';
const STILL_REVIEWED = 'Its recording is still being reviewed.';
const DECIDED = { withoutGrade: 'Its recording has no grade.', besideGrade: '' };
const PENDING = { withoutGrade: STILL_REVIEWED, besideGrade: ` ${REVIEWED_AGAIN}` };

/** What a state means for a voice that has no grade, and for one that has an earlier grade. */
const STATES: Record<ReviewState, { withoutGrade: string; besideGrade: string }> = {
  queued: PENDING,
  running: PENDING,
  retry_wait: PENDING,
  stalled: {
    withoutGrade: `Its recording has no grade: the review failed because of a fault on our side, and ${NO_OTHER}`,
    besideGrade: ` A later review failed because of a fault on our side, and ${NO_OTHER}`,
  },
  cancelled: {
    withoutGrade: `Its recording has no grade: the review was cancelled, and ${NO_OTHER}`,
    besideGrade: ` A later review was cancelled, and ${NO_OTHER}`,
  },
  completed: DECIDED,
  rejected: DECIDED,
  overridden: DECIDED,
};

/** Says what a review has led to, for staff and for the customer, so that both read the same. */
export function reviewInWords({ state, grade, reason, measurements }: ReviewOutcome): ReviewInWords {
  const { withoutGrade, besideGrade } = STATES[state];
  if (grade === null) return { reasons: [], forCustomer: `Your voice can be used. ${withoutGrade}` };
  const reasons = explainReasons(reason ?? 'within_targets', measurements);
  const why = reasons.map((each) => sentence(each.sentence)).join(' ');
  const graded = `Your recording was graded ${grade}${why ? `. ${why}` : ': everything that we measure is within its target.'}`;
  return { reasons, forCustomer: `${graded}${besideGrade}` };
}
