import { AppConfig } from '@app/config/app-config';
import { WorkerProcessRepository } from '@app/database/common/worker-process.repository';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Round } from '../loop';
import { WORKER_ACTOR } from '../worker-identity';
import { QueueWatch } from './queue-watch';

/** Workers that were killed are shown as silent for this long. */
const FORGET_AFTER_SECS = 3_600;

/** Records that this worker is alive, and whether it takes jobs. */
@Injectable()
export class WorkerHeartbeat implements BeforeApplicationShutdown {
  private readonly id = randomUUID();
  private isStopping = false;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly workers: WorkerProcessRepository,
    private readonly watch: QueueWatch,
    private readonly config: AppConfig,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.beating.catch(() => undefined);
    // Without the database it is invisible anyway, and a worker must be able to stop.
    await this.workers.remove(this.id, FORGET_AFTER_SECS).catch(() => undefined);
  }

  /** Not after the worker has begun to stop: the row would stay. */
  async beat(): Promise<Round> {
    if (this.isStopping) return 'idle';
    const { workerConcurrency: concurrency } = this.config;
    this.beating = this.workers.beat({ id: this.id, name: WORKER_ACTOR, concurrency, ...this.watch.worst() });
    await this.beating;
    return 'idle';
  }
}
