import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { BulkChangesService } from '@app/administration/keys/bulk-changes.service';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import { AccountChangesService } from '@app/administration/accounts/account-changes.service';
import { BudgetsService } from '@app/administration/budgets/budgets.service';
import type { EditableSetting } from '@app/administration/keys/key-settings';
import { KeyUndoRepository, type DueSetting } from '@app/database/keys/key-undo.repository';
import type { UndoneOfAccount } from '@app/domain/accounts/account-fields';
import { Injectable, Logger } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 50;

/** Reverts changes of settings of keys, accounts, budgets and of many keys that were not kept in time, and completes those of lost processes. */
@Injectable()
export class DueUndo {
  private readonly logger = new Logger(DueUndo.name);

  constructor(
    private readonly undos: KeyUndoRepository,
    private readonly lists: AllowListsService,
    private readonly keys: ApiKeyChangesService,
    private readonly accounts: AccountChangesService,
    private readonly budgets: BudgetsService,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly bulk: BulkUndoService,
    private readonly making: BulkChangesService,
  ) {}

  /** Completes and reverts one batch of each. Several workers revert each change once. */
  async undoDue(): Promise<Round> {
    const settings = await this.undos.listDue(BATCH);
    for (const due of settings) await this.end(due.setting, due.subjectId, () => this.revert(due));
    const bulk = await this.bulkChanges.listDue(BATCH);
    for (const changeId of bulk)
      await this.end('bulk change', changeId, () => this.bulk.undoIfDue(bySystem('bulk-undo'), changeId));
    const stalled = await this.making.listStalled(BATCH);
    for (const changeId of stalled)
      await this.end(
        'stalled bulk change',
        changeId,
        async () => void (await this.making.complete(changeId)),
      );
    return ended('idle', {
      setting: settings.length,
      'bulk change': bulk.length,
      'stalled bulk change': stalled.length,
    });
  }

  private async revert({ kind, subjectId: id, setting, accountId }: DueSetting): Promise<void> {
    if (kind === 'budget') return this.budgets.undoIfDue(bySystem('budget-undo'), accountId!, id);
    if (setting === 'allowed_ips') return this.lists.undoIfDue(bySystem('allow-list-undo'), { kind, id });
    if (kind === 'account')
      return this.accounts.undoIfDue(bySystem('account-undo'), id, setting as UndoneOfAccount);
    return this.keys.undoIfDue(bySystem('key-undo'), id, setting as EditableSetting);
  }

  /** A change that cannot be ended does not stop the others. */
  private async end(what: string, id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error(`A change (${what}) cannot be ended: ${(error as Error).message}`, { id });
    }
  }
}
