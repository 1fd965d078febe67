import { AppConfig } from '@app/config/app-config';
import { PACKAGE } from '@app/config/project-root';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Round } from '../loop';
import { WorkerIdentity } from '../worker-identity';
import { QueueWatch } from './queue-watch';

/** Workers that were killed are shown as silent for this long. */
const REMOVE_AFTER_SECS = 3_600;

/** Starts are shown beside the times of queues. */
const STARTS_STORED_DAYS = 30;

/** Records that this worker is alive, and whether it takes jobs. */
@Injectable()
export class WorkerHeartbeat implements BeforeApplicationShutdown {
  private isStopping = false;
  private isNoted = false;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly workers: WorkerProcessRepository,
    private readonly database: DatabaseServerRepository,
    private readonly watch: QueueWatch,
    private readonly config: AppConfig,
    private readonly worker: WorkerIdentity,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.beating.catch(() => undefined);
    // Without the database it is invisible anyway, and a worker must be able to stop.
    await this.workers.remove(this.worker.id).catch(() => undefined);
  }

  /** Not after the worker has begun to stop: the row would stay. */
  async sendHeartbeat(): Promise<Round> {
    if (this.isStopping) return 'idle';
    const { workerConcurrency: concurrency } = this.config;
    const { id, name } = this.worker;
    const heartbeat = { id, name, concurrency, ...this.watch.worst() };
    // A process that is heard before a migration is of an earlier release.
    this.beating = this.database
      .requireMigrated()
      .then(async () => this.workers.sendHeartbeat(heartbeat, REMOVE_AFTER_SECS));
    await this.beating;
    await this.noteStart();
    return 'idle';
  }

  /** Once, as soon as the database responds. */
  private async noteStart(): Promise<void> {
    if (this.isNoted) return;
    const { id, name } = this.worker;
    const start = { id, name, release: PACKAGE.version };
    await this.workers.noteStart(start, STARTS_STORED_DAYS);
    this.isNoted = true;
  }
}
