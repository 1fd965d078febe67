import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import { Injectable, Logger } from '@nestjs/common';
import type { Round } from '../loop';

const BATCH = 50;

/** Reverts changes of allow-lists and of many keys that were not kept in time. */
@Injectable()
export class DueUndo {
  private readonly logger = new Logger(DueUndo.name);

  constructor(
    private readonly allowLists: AllowListRepository,
    private readonly lists: AllowListsService,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly bulk: BulkUndoService,
  ) {}

  /** Reverts one batch of each. Several workers revert each change once. */
  async undoDue(): Promise<Round> {
    for (const keyId of await this.allowLists.listDue(BATCH))
      await this.undo('allow-list', keyId, () => this.lists.undoIfDue(bySystem('allow-list-undo'), keyId));
    for (const changeId of await this.bulkChanges.listDue(BATCH))
      await this.undo('bulk change', changeId, () => this.bulk.undoIfDue(bySystem('bulk-undo'), changeId));
    return 'idle';
  }

  /** A change that cannot be reverted does not stop the others. */
  private async undo(what: string, id: string, revert: () => Promise<void>): Promise<void> {
    try {
      await revert();
    } catch (error) {
      this.logger.error(`A change (${what}) cannot be reverted: ${(error as Error).message}`, { id });
    }
  }
}
