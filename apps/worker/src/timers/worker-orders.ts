import { WorkerProcessRepository } from '@app/database/common/worker-process.repository';
import { JobHandlers } from '@app/queue/job-handler';
import { TimerRepository } from '@app/database/common/timer.repository';
import { Injectable, Logger } from '@nestjs/common';
import { ended, type Round } from '../loop';
import { WorkerIdentity } from '../worker-identity';
import { TimerControl } from './timer-control';
import { TimerLog } from './timer-log';

const KEPT_DAYS = 7;
const TIDY_EVERY_MS = 60 * 60_000;

/** Reads what staff order, and reports what the timers of this worker have done. */
@Injectable()
export class WorkerOrders {
  private readonly logger = new Logger(WorkerOrders.name);
  private isQuiet = false;
  private tidiedAt = -Infinity;

  constructor(
    private readonly timers: TimerRepository,
    private readonly log: TimerLog,
    private readonly control: TimerControl,
    private readonly worker: WorkerIdentity,
    private readonly workers: WorkerProcessRepository,
    private readonly handlers: JobHandlers,
  ) {}

  async follow(): Promise<Round> {
    const orders = await this.timers.takeOrders();
    this.control.follow(orders);
    await this.followQuiet();
    await this.log.report((reports) => this.timers.report(this.worker, reports));
    await this.tidy();
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

  private async tidy(): Promise<void> {
    if (performance.now() - this.tidiedAt < TIDY_EVERY_MS) return;
    await this.timers.deleteOld(KEPT_DAYS);
    this.tidiedAt = performance.now();
  }
}
