import type { ReviewState } from '@app/domain/reviews/review-state';
import type { JobType, Queue } from 'bullmq';
import { VOICE_REVIEW_QUEUE } from './jobs';

/** A state in which the PostgreSQL backend counts the waiting jobs of a held queue; it is missing in the types. */
export const HELD = 'paused' as JobType;

export interface QueueCounts {
  /** Jobs that could start now. */
  waiting: number;
  /** Of these, the ones that go last. */
  lowPriority: number;
  /** Jobs that wait for their next attempt. */
  delayed: number;
  active: number;
  /** Jobs that ended in failure and are still known to the queue. */
  failed: number;
}

/** How many jobs of a queue are in each state, on either backend. */
export async function countJobs(queue: Pick<Queue, 'getJobCounts'>): Promise<QueueCounts> {
  const counts = await queue.getJobCounts('waiting', HELD, 'prioritized', 'delayed', 'active', 'failed');
  const { waiting = 0, [HELD]: held = 0, prioritized = 0, delayed = 0, active = 0, failed = 0 } = counts;
  return { waiting: waiting + held + prioritized, lowPriority: prioritized, delayed, active, failed };
}

/**
 * How many jobs wait for a queue, and since when, as everything that counts them says it. A review waits in the outbox for
 * its turn, and the queue has few of them: those are counted by their state.
 *
 * @param open of `ReviewFlowRepository`
 */
export function waitingFor<At>(
  queue: string,
  inQueue: { waiting: number; since: At | null },
  open: readonly { state: ReviewState; reviews: number; since: At }[],
): { waiting: number; since: At | null } {
  if (queue !== VOICE_REVIEW_QUEUE) return inQueue;
  const queued = open.find(({ state }) => state === 'queued');
  return { waiting: queued?.reviews ?? 0, since: queued?.since ?? null };
}

/** When the job that is next in its line was added ; null when none waits. */
export async function nextJobSince(queue: Queue): Promise<Date | null> {
  const next = await queue.getJobs(['waiting', HELD, 'prioritized'], 0, 0, true);
  return next.length === 0 ? null : new Date(Math.min(...next.map(({ timestamp }) => timestamp)));
}
