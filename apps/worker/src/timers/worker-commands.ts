import { TimerRepository } from '@app/database/timers/timer.repository';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';
import { WorkerIdentity } from '../worker-identity';
import { PauseCommands } from './pause-commands';
import { QuietCommand } from './quiet-command';
import { TimerControl } from './timer-control';
import { TimerLog } from './timer-log';

const STORED_DAYS = 7;
const CLEAN_UP_EVERY_MS = 60 * 60_000;

/** Reads what staff command, and reports what the timers of this worker have done. */
@Injectable()
export class WorkerCommands {
  private cleanedUpAt = -Infinity;

  constructor(
    private readonly timers: TimerRepository,
    private readonly log: TimerLog,
    private readonly control: TimerControl,
    private readonly worker: WorkerIdentity,
    private readonly quiet: QuietCommand,
    private readonly pauses: PauseCommands,
  ) {}

  async follow(): Promise<Round> {
    const commands = await this.timers.takeCommands();
    this.control.follow(commands);
    await this.quiet.follow();
    await this.log.report((reports) => this.timers.report(this.worker, reports));
    await this.cleanUp();
    // Last, because a queue that does not respond keeps the other commands waiting.
    await this.pauses.follow();
    return ended('idle', { order: commands.toRun.length });
  }

  private async cleanUp(): Promise<void> {
    if (performance.now() - this.cleanedUpAt < CLEAN_UP_EVERY_MS) return;
    await this.timers.deleteOld(STORED_DAYS);
    this.cleanedUpAt = performance.now();
  }
}
