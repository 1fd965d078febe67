import { QueueCommandRepository } from '@app/database/queue/queue-command.repository';
import { setPaused } from '@app/queue/queue-pause';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';

/** Which queues staff want paused. */
@Injectable()
export class PauseCommands {
  private readonly logger = new Logger(PauseCommands.name);

  constructor(
    private readonly commands: QueueCommandRepository,
    private readonly modules: ModuleRef,
  ) {}

  async follow(): Promise<void> {
    for (const { queue: name, isPaused } of await this.commands.list()) {
      const queue = this.modules.get<Queue>(getQueueToken(name), { strict: false });
      if (await setPaused(queue, isPaused))
        this.logger.warn(`Queue ${name} is ${isPaused ? 'paused' : 'resumed'} again, as staff have ordered`);
    }
  }
}
