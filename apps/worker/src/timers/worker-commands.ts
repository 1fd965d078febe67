import { QueueCommandRepository } from '@app/database/common/queue-command.repository';
import { WorkerProcessRepository } from '@app/database/common/worker-process.repository';
import { JobHandlers } from '@app/queue/job-handler';
import { setPaused } from '@app/queue/queue-pause';
import { TimerRepository } from '@app/database/common/timer.repository';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { ended, type Round } from '../loop';
import { WorkerIdentity } from '../worker-identity';
import { TimerControl } from './timer-control';
import { TimerLog } from './timer-log';

const STORED_DAYS = 7;
const CLEAN_UP_EVERY_MS = 60 * 60_000;

/** Reads what staff order, and reports what the timers of this worker have done. */
@Injectable()
export class WorkerCommands {
  private readonly logger = new Logger(WorkerCommands.name);
  private isQuiet = false;
  private tidiedAt = -Infinity;

  constructor(
    private readonly timers: TimerRepository,
    private readonly log: TimerLog,
    private readonly control: TimerControl,
    private readonly worker: WorkerIdentity,
    private readonly workers: WorkerProcessRepository,
    private readonly handlers: JobHandlers,
    private readonly queueCommands: QueueCommandRepository,
    private readonly modules: ModuleRef,
  ) {}

  async follow(): Promise<Round> {
    const orders = await this.timers.takeCommands();
    this.control.follow(orders);
    await this.followQuiet();
    await this.log.report((reports) => this.timers.report(this.worker, reports));
    await this.cleanUp();
    await this.followPauses();
    return ended('idle', { order: orders.toRun.length });
  }

  /** A worker that has no row yet, or none any more, stays as it is. */
  private async followQuiet(): Promise<void> {
    const isQuiet = (await this.workers.isQuiet(this.worker.id)) ?? this.isQuiet;
    if (isQuiet === this.isQuiet) return;
    await this.handlers.setQuiet(isQuiet);
    this.isQuiet = isQuiet;
    this.logger.log(isQuiet ? 'Quiet: takes no further jobs' : 'Takes jobs again');
  }

  /** Last, because a queue that does not respond keeps the other orders waiting. */
  private async followPauses(): Promise<void> {
    for (const [name, isPaused] of await this.queueCommands.list()) {
      const queue = this.modules.get<Queue>(getQueueToken(name), { strict: false });
      if (await setPaused(queue, isPaused))
        this.logger.warn(`Queue ${name} is ${isPaused ? 'paused' : 'resumed'} again, as staff have ordered`);
    }
  }

  private async cleanUp(): Promise<void> {
    if (performance.now() - this.tidiedAt < CLEAN_UP_EVERY_MS) return;
    await this.timers.deleteOld(STORED_DAYS);
    this.tidiedAt = performance.now();
  }
}
