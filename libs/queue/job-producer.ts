import { getQueueToken } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { JobState, Queue } from 'bullmq';
import { jobRow, type JobName, type JobPayload } from './jobs';

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

  /** What the queue knows of a job: `unknown` when it was never there, or is forgotten. */
  async stateOf<N extends JobName>(name: N, payload: JobPayload<N>): Promise<JobState | 'unknown'> {
    return this.queueOf(name).getJobState(jobRow(name).jobId(payload));
  }

  private queueOf(name: JobName): Queue {
    return this.modules.get<Queue>(getQueueToken(jobRow(name).queue), { strict: false });
  }
}
