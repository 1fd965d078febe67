import { getQueueToken } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { JobState, Queue } from 'bullmq';
import { countJobs } from './queue-counts';
import { jobRow, type JobName, type JobPayload } from './jobs';

/**
 * States of a job that the queue will not hand to a worker, unless it reclaims it from one. No job is delayed for long:
 * one that is delayed when it was due long ago has its time from a clock that was ahead.
 */
const NOT_IN_LINE: ReadonlySet<JobState | 'unknown'> = new Set([
  'unknown',
  'completed',
  'failed',
  'active',
  'delayed',
]);

/** Adds jobs of the job table to their queues. Requests do not use it: they write to the outbox. */
@Injectable()
export class JobProducer {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * Adds a job, unless its id is still known to the queue.
   *
   * @throws the connection's error, on Redis within about 2 s; the job may have been added all the same
   */
  async add<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
    const { jobId, options, priorityOf } = jobRow(name);
    const priority = priorityOf?.(payload);
    await this.queueOf(name).add(name, payload, {
      ...options,
      jobId: jobId(payload),
      ...(priority !== undefined && { priority }),
    });
  }

  /** How many jobs of its queue have not ended; null when the queue cannot be read. */
  async countOpen(name: JobName): Promise<number | null> {
    try {
      const { waiting, delayed, active } = await countJobs(this.queueOf(name));
      return waiting + delayed + active;
    } catch {
      return null;
    }
  }

  /** What the queue knows of a job: `unknown` when it was never there, or was removed. */
  async stateOf<N extends JobName>(name: N, payload: JobPayload<N>): Promise<JobState | 'unknown'> {
    return this.queueOf(name).getJobState(jobRow(name).jobId(payload));
  }

  /**
   * Whether a job that was due long ago will never run, or not in time: the queue does not know it, is done with it, delays it,
   * or has handed it to a worker. That worker would have finished, and the queue may not notice: on PostgreSQL a dead worker
   * whose clock was ahead keeps its jobs until that time.
   */
  async isLost<N extends JobName>(name: N, payload: JobPayload<N>): Promise<boolean> {
    return NOT_IN_LINE.has(await this.stateOf(name, payload));
  }

  /** Takes a job out of its queue, unless a worker holds it. */
  async remove<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
    await this.queueOf(name).remove(jobRow(name).jobId(payload));
  }

  private queueOf(name: JobName): Queue {
    return this.modules.get<Queue>(getQueueToken(jobRow(name).queue), { strict: false });
  }
}
