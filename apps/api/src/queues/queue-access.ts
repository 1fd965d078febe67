import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import { QUEUE_NAMES } from '@app/queue/jobs';
import { countJobs, nextJobSince, type QueueCounts } from '@app/queue/queue-counts';
import { setPaused } from '@app/queue/queue-pause';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a queue says of itself. */
export interface QueueFigures extends QueueCounts {
  paused: boolean;
  oldestWaitingAt: Date | null;
}

/** Longer than any response of a healthy backend. */
const PATIENCE_MS = 3_000;

/** The queues, for operators. Never waits for a backend that does not respond. */
@Injectable()
export class QueueAccess {
  readonly backend: 'redis' | 'postgres';

  constructor(
    private readonly modules: ModuleRef,
    config: AppConfig,
  ) {
    this.backend = config.redisUrl ? 'redis' : 'postgres';
  }

  /** @throws DomainError `queue_not_found` */
  require(name: string): Queue {
    if (QUEUE_NAMES.includes(name)) return this.modules.get<Queue>(getQueueToken(name), { strict: false });
    const known = QUEUE_NAMES.join(', ');
    throw new DomainError('queue_not_found', { queue: name.slice(0, 100), known }, { param: 'queue' });
  }

  /** @throws the backend's error */
  async read(name: string): Promise<QueueFigures> {
    const queue = this.require(name);
    const [paused, counts, oldestWaitingAt] = await inTime(
      Promise.all([queue.isPaused(), countJobs(queue), nextJobSince(queue)]),
    );
    return { paused, ...counts, oldestWaitingAt };
  }

  /** @throws DomainError `service_unavailable` when the backend does not respond */
  async isPaused(name: string): Promise<boolean> {
    try {
      return await inTime(this.require(name).isPaused());
    } catch (cause) {
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }

  /** Pauses a queue in its backend, or resumes it. One that does not respond is left to the workers, which repeat it. */
  async setPaused(name: string, isPaused: boolean): Promise<void> {
    await inTime(setPaused(this.require(name), isPaused)).catch(() => false);
  }
}

/** @throws Error when a backend takes longer than any healthy one */
export async function inTime<T>(response: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const tooLate = sleep(patienceMs, undefined, { ref: false }).then(() => {
    throw new Error(`The queue's backend has not responded within ${patienceMs} ms.`);
  });
  return Promise.race([response, tooLate]);
}
