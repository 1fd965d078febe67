import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { BulkKeyChange } from '@app/database/keys/bulk-key-change.entity';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { whySkipped, type KeySinceChange, type SkipReason } from '@app/domain/keys/bulk-undo';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { approvable, NO_ARGS, type ApprovedRequest } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { AuditedChanges, type Change, type ChangeWork } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { editOf } from './bulk-changes.service';
import { BulkEdits } from './bulk-edits';
import { auditedBefore, auditedValue, AUDIT_ACTIONS } from './bulk-events';
import { NOT_SAVED_IN_TIME } from '../audit/undo-work';
import type { AuditEntry } from '../audit/audit-log';

/** How many changes of many keys are listed. */
const RECENT = 10;

interface UndoRequest {
  actor: AuditActor;
  changeId: string;
  reason: string;
}

export interface SkippedKey {
  id: string;
  name: string;
  because: SkipReason;
}

/** What an undo does to the keys of a change: those it restores, and those that it leaves alone. */
export interface UndoPlan {
  restore: { id: string; before: unknown }[];
  skipped: SkippedKey[];
}

const NOTHING: UndoPlan = { restore: [], skipped: [] };

/**
 * Undoes a change of many keys: restores those that are as the change has left them. A key that was changed since stays as
 * it is. A change that is not complete ends.
 */
@Injectable()
export class BulkUndoService {
  readonly approvable = {
    bulk_undo: approvable('bulk_undo', NO_ARGS, (approved) => ({
      work: this.undoingNow(changeOf(approved)),
    })),
    bulk_keep: approvable('bulk_keep', NO_ARGS, (approved) => ({
      work: this.keeping(changeOf(approved)),
    })),
  };

  constructor(
    private readonly changes: AuditedChanges,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly edits: BulkEdits,
    private readonly approvals: ApprovalsService,
  ) {}

  /** The newest changes of many keys; of a bounded program, those within its bounds. */
  async list(withinCredential?: string): Promise<BulkKeyChange[]> {
    return this.bulkChanges.listRecent(RECENT, withinCredential);
  }

  /** A change, with what an undo would do now: nothing once it was undone. */
  async get(id: string): Promise<{ change: BulkKeyChange; plan: UndoPlan }> {
    const change = isUuid(id) ? await this.bulkChanges.find(id) : null;
    if (!change) throw notFound(id);
    const plan = change.undoneAt ? NOTHING : toPlan(change, await this.bulkChanges.listKeys(id));
    return { change, plan };
  }

  /** What the undo timer of a change is about to do anyway waits for no second person. */
  async undo(request: UndoRequest): Promise<UndoPlan & { receipt: ChangeReceipt | null }> {
    const { result, receipt } = await this.approvals.make(this.undoingNow(request), {
      ...request,
      approvable: this.approvable.bulk_undo,
      args: () => ({}),
      countKeys: ({ result: { wasDue, restore } }) => (wasDue ? 0 : restore.length),
    });
    return { restore: result.restore, skipped: result.skipped, receipt };
  }

  /** Undoes a change if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, changeId: string): Promise<void> {
    await this.changes.make(async (em) => {
      const change = await this.lock(changeId, em);
      if (!change.dueAt || change.dueAt > new Date()) return { result: NOTHING, events: [] };
      return this.undoing({ actor, changeId, reason: NOT_SAVED_IN_TIME }, change, em);
    });
  }

  /** Keeps a change that its undo timer would have reverted. */
  async keep(request: UndoRequest): Promise<void> {
    await this.approvals.make(this.keeping(request), {
      ...request,
      approvable: this.approvable.bulk_keep,
      args: () => ({}),
      countKeys: ({ result }) => result,
    });
  }

  /** Its result is how many keys stay changed. */
  private keeping({ actor, changeId, reason }: UndoRequest): ChangeWork<number> {
    return async (em) => {
      const { id, dueAt, action, changed } = await this.lock(changeId, em);
      if (!dueAt) throw new DomainError('status_unchanged', { status: 'without a timer' });
      await this.bulkChanges.update(id, { dueAt: null }, em);
      const target = { type: 'api_keys' as const, id };
      const event: AuditEntry = { actor, action: AUDIT_ACTIONS[action].kept, target, reason };
      return {
        result: changed,
        events: [{ ...event, before: { undo_due_at: dueAt }, after: { undo_due_at: null } }],
      };
    };
  }

  /** Its result says also whether an undo timer was about to do it. */
  private undoingNow(request: UndoRequest): ChangeWork<UndoPlan & { wasDue: boolean }> {
    return async (em) => {
      const change = await this.lock(request.changeId, em);
      if (change.undoneAt) throw new DomainError('status_unchanged', { status: 'undone' });
      const wasDue = change.dueAt !== null;
      const undone = await this.undoing(request, change, em);
      return { ...undone, result: { ...undone.result, wasDue } };
    };
  }

  private async undoing(
    { actor, reason }: UndoRequest,
    change: BulkKeyChange,
    em: EntityManager,
  ): Promise<Change<UndoPlan>> {
    const plan = toPlan(change, await this.bulkChanges.listKeys(change.id, em));
    const edit = editOf(change);
    if (plan.restore.length > 0) await this.edits.restore(edit, plan.restore, actor.name, em);
    const now = new Date();
    const ended = { dueAt: null, undoneAt: now, undoneBy: actor.name, finishedAt: change.finishedAt ?? now };
    await this.bulkChanges.update(change.id, ended, em);
    const ids = plan.restore.map(({ id }) => id);
    const events = toBatchEvents(
      ids,
      {
        actor,
        action: AUDIT_ACTIONS[edit.action].undone,
        target: { type: 'api_keys', id: change.id },
        before: auditedValue(edit),
        after: { ...auditedBefore(edit.action, plan.restore), left_alone: plan.skipped.length },
        reason,
      },
      'key_ids',
    );
    return { result: plan, events, ...(ids.length > 0 && { announce: { keyIds: ids } }) };
  }

  private async lock(id: string, em: EntityManager): Promise<BulkKeyChange> {
    const change = isUuid(id) ? await this.bulkChanges.lock(id, em) : null;
    if (!change) throw notFound(id);
    return change;
  }
}

function toPlan({ action }: BulkKeyChange, keys: KeySinceChange[]): UndoPlan {
  const evaluated = keys.map((key) => ({ ...key, because: whySkipped(action, key) }));
  return {
    restore: evaluated.filter(({ because }) => because === null).map(({ id, before }) => ({ id, before })),
    skipped: evaluated.flatMap(({ id, name, because }) => (because === null ? [] : [{ id, name, because }])),
  };
}

function notFound(changeId: string): DomainError {
  return new DomainError('bulk_change_not_found', { changeId: changeId.slice(0, 100) });
}

const changeOf = ({ actor, reason, targetId }: ApprovedRequest): UndoRequest => ({
  actor,
  reason,
  changeId: targetId,
});
