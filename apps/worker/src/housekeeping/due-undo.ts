import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { Injectable, Logger } from '@nestjs/common';
import type { Round } from '../loop';

const BATCH = 50;

/** Reverts changes of settings of keys and of many keys that were not kept in time. */
@Injectable()
export class DueUndo {
  private readonly logger = new Logger(DueUndo.name);

  constructor(
    private readonly undos: KeyUndoRepository,
    private readonly lists: AllowListsService,
    private readonly keys: ApiKeyChangesService,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly bulk: BulkUndoService,
  ) {}

  /** Reverts one batch of each. Several workers revert each change once. */
  async undoDue(): Promise<Round> {
    for (const { keyId, setting } of await this.undos.listDue(BATCH))
      await this.undo(setting, keyId, () =>
        setting === 'allowed_ips'
          ? this.lists.undoIfDue(bySystem('allow-list-undo'), keyId)
          : this.keys.undoIfDue(bySystem('key-undo'), keyId, setting),
      );
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
