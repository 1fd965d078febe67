import type { JobProducer } from '@app/queue/job-producer';
import type { JobName, JobPayload } from '@app/queue/jobs';
import { ended, type Round } from './loop';

/** What a sweep of one kind of job reads and writes. */
export interface SweptJobs<N extends JobName> {
  name: N;
  batch: number;
  /** Work that has waited for its job for too long, at most `batch`. */
  listOverdue(): Promise<JobPayload<N>[]>;
  /** Counts the wait of these from now: their jobs are still in line, and a long queue does not justify starting anything again. */
  touch(waiting: JobPayload<N>[]): Promise<void>;
  /** Starts the work again with another job. False when another process has touched it meanwhile. */
  recover(lost: JobPayload<N>): Promise<boolean>;
}

/**
 * Sweeps one batch: finds what is overdue, starts again what has lost its job, and removes what is left of that job.
 *
 * @throws when the queue cannot be read: a job that is not seen is not a job that is lost
 */
export async function sweepLostJobs<N extends JobName>(
  jobs: JobProducer,
  swept: SweptJobs<N>,
): Promise<Round> {
  const overdue = await swept.listOverdue();
  const isLost = await Promise.all(overdue.map((payload) => jobs.isLost(swept.name, payload)));
  const waiting = overdue.filter((_, index) => !isLost[index]);
  if (waiting.length > 0) await swept.touch(waiting);
  let recovered = 0;
  for (const lost of overdue.filter((_, index) => isLost[index])) {
    if (!(await swept.recover(lost))) continue;
    await jobs.remove(swept.name, lost);
    recovered += 1;
  }
  return ended(overdue.length === swept.batch ? 'more' : 'idle', { 'lost job': recovered });
}
