import { NOT_ATTEMPTS, type ReviewState } from './review-state';

/** One recorded transition of a review. */
export interface RecordedTransition {
  generation: number;
  toState: ReviewState;
  cause: string;
  actor: string;
  at: Date;
}

/** One attempt to review a voice, read out of the transitions. */
export interface ReviewAttempt {
  generation: number;
  /** From 1 in each generation. One that was handed back has the number of the next. */
  number: number;
  actor: string;
  startedAt: Date;
  /** Null while it is under way. */
  endedAt: Date | null;
  outcome: 'running' | 'succeeded' | 'failed' | 'lost' | 'cancelled' | 'handed_back';
  /** Why it did not succeed; null when it did or is under way. */
  failure: string | null;
}

/** The attempts in a review's history, oldest first. A new one that begins while one runs means that that one was lost. */
export function attemptsOf(history: readonly RecordedTransition[]): ReviewAttempt[] {
  const attempts: ReviewAttempt[] = [];
  for (const event of history) {
    const running = attempts.at(-1)?.outcome === 'running' ? attempts.at(-1)! : null;
    if (running) Object.assign(running, endOf(event), { endedAt: event.at });
    if (event.toState !== 'running') continue;
    const { generation, actor, at: startedAt } = event;
    const before = attempts.filter(
      (each) => each.generation === generation && each.outcome !== 'handed_back',
    );
    const number = before.length + 1;
    attempts.push({
      generation,
      number,
      actor,
      startedAt,
      endedAt: null,
      outcome: 'running',
      failure: null,
    });
  }
  return attempts;
}

function endOf({ toState, cause }: RecordedTransition): Pick<ReviewAttempt, 'outcome' | 'failure'> {
  switch (toState) {
    case 'completed':
    case 'rejected':
      return { outcome: 'succeeded', failure: null };
    case 'cancelled':
      return { outcome: 'cancelled', failure: cause };
    case 'running':
    case 'queued':
      return { outcome: 'lost', failure: 'Its worker ended or lost the job.' };
    default:
      return { outcome: NOT_ATTEMPTS.includes(cause) ? 'handed_back' : 'failed', failure: cause };
  }
}
