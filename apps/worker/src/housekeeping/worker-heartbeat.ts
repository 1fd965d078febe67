import { AppConfig } from '@app/config/app-config';
import { WorkerProcessRepository } from '@app/database/common/worker-process.repository';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Loop, type Round } from '../loop';
import { WORKER_ACTOR } from '../worker-identity';
import { QueueWatch } from './queue-watch';

const EVERY_MS = 5_000;
/** Workers that were killed are shown as silent for this long. */
const FORGET_AFTER_SECS = 3_600;

/** Records that this worker is alive, and whether it takes jobs. */
@Injectable()
export class WorkerHeartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly id = randomUUID();
  private readonly loop = new Loop(WorkerHeartbeat.name, () => this.beat(), EVERY_MS);

  constructor(
    private readonly workers: WorkerProcessRepository,
    private readonly watch: QueueWatch,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    // Without the database it is invisible anyway, and a worker must be able to stop.
    await this.workers.remove(this.id, FORGET_AFTER_SECS).catch(() => undefined);
  }

  private async beat(): Promise<Round> {
    const { workerConcurrency: concurrency } = this.config;
    await this.workers.beat({ id: this.id, name: WORKER_ACTOR, concurrency, ...this.watch.worst() });
    return 'idle';
  }
}
