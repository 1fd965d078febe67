import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import { JobHandlers } from '@app/queue/job-handler';
import { Injectable, Logger } from '@nestjs/common';
import { WorkerIdentity } from '../worker-identity';

/** Whether staff want this worker to take jobs. */
@Injectable()
export class QuietCommand {
  private readonly logger = new Logger(QuietCommand.name);
  private isQuiet = false;

  constructor(
    private readonly worker: WorkerIdentity,
    private readonly workers: WorkerProcessRepository,
    private readonly handlers: JobHandlers,
  ) {}

  /** A worker that has no row yet, or none any more, stays as it is. */
  async follow(): Promise<void> {
    const isQuiet = (await this.workers.isQuiet(this.worker.id)) ?? this.isQuiet;
    if (isQuiet === this.isQuiet) return;
    await this.handlers.setQuiet(isQuiet);
    this.isQuiet = isQuiet;
    this.logger.log(isQuiet ? 'Quiet: takes no further jobs' : 'Takes jobs again');
  }
}
