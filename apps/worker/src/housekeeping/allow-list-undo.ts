import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { Injectable, Logger } from '@nestjs/common';
import type { Round } from '../loop';

const BATCH = 50;

/** Reverts changes of allow-lists that were not kept in time. */
@Injectable()
export class AllowListUndo {
  private readonly logger = new Logger(AllowListUndo.name);

  constructor(
    private readonly repository: AllowListRepository,
    private readonly lists: AllowListsService,
  ) {}

  /** Reverts one batch. Several workers revert each change once. */
  async undoDue(): Promise<Round> {
    for (const keyId of await this.repository.listDue(BATCH)) await this.undo(keyId);
    return 'idle';
  }

  /** A list that cannot be reverted does not stop the others. */
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
