import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { bySystem } from '@app/administration/audit/audit-actors';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';

const EVERY_MS = 1_000;
const BATCH = 50;

/** Reverts allow-list changes that were not kept in time. Every api process looks; one of them does it. */
@Injectable()
export class AllowListUndoTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AllowListUndoTimer.name);
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private failing = false;

  constructor(
    private readonly repository: AllowListRepository,
    private readonly lists: AllowListsService,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.undoDue().finally(() => {
        this.running = null;
      });
    }, EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  private async undoDue(): Promise<void> {
    try {
      for (const keyId of await this.repository.listDue(BATCH)) await this.undo(keyId);
      if (this.failing) this.logger.log('Allow-list changes are reverted again');
      this.failing = false;
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.failing) this.logger.error(`Allow-list changes cannot be reverted: ${reason}`);
      this.failing = true;
    }
  }

  private async undo(keyId: string): Promise<void> {
    try {
      await this.lists.undoIfDue(bySystem('allow-list-undo'), keyId);
    } catch (error) {
      this.logger.error(`The change of an allow-list cannot be reverted: ${(error as Error).message}`, {
        keyId,
      });
    }
  }
}
