import type { JobType, Queue } from 'bullmq';

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

/** When the job that is next in its line was added (ms since 1970); null when none waits. */
export async function nextJobSince(queue: Queue): Promise<number | null> {
  const next = await queue.getJobs(['waiting', HELD, 'prioritized'], 0, 0, true);
  return next.length === 0 ? null : Math.min(...next.map(({ timestamp }) => timestamp));
}
