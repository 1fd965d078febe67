import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import { humanize } from '../components/number';
import { StatusBadge, type Tone } from '../components/inline';

const STATE_TONES: Record<ReviewState, Tone> = {
  queued: 'calm',
  running: 'info',
  retry_wait: 'warn',
  stalled: 'bad',
  completed: 'good',
  rejected: 'bad',
  overridden: 'info',
  cancelled: 'calm',
};

export const GRADE_TONES: Record<RecordingGrade, Tone> = {
  studio: 'good',
  good: 'good',
  ok: 'calm',
  poor: 'warn',
  bad: 'bad',
};

export function StateBadge({ state }: { state: ReviewState }) {
  return <StatusBadge tone={STATE_TONES[state]}>{humanize(state)}</StatusBadge>;
}

export function GradeBadge({ grade }: { grade: RecordingGrade | null }) {
  if (grade === null) return <span className="gr-hint gr-dimmed">none yet</span>;
  return <StatusBadge tone={GRADE_TONES[grade]}>{grade}</StatusBadge>;
}
