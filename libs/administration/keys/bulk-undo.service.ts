import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { BulkKeyChange } from '@app/database/keys/bulk-key-change.entity';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { whyLeftAlone, type KeySinceChange, type LeftAloneBecause } from '@app/domain/keys/bulk-undo';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { ApprovalsService, type ApprovedRequest } from '../approvals/approvals.service';
import { AuditedChanges, type Change, type ChangeWork } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { editOf } from './bulk-changes.service';
import { BulkEdits } from './bulk-edits';
import { auditedBefore, auditedValue, AUDIT_ACTIONS } from './bulk-events';
import { NOT_KEPT } from './undo-work';

/** How many changes of many keys are listed. */
const RECENT = 10;

interface UndoRequest {
  actor: AuditActor;
  changeId: string;
  reason: string;
}

export interface KeyLeftAlone {
  id: string;
  name: string;
  because: LeftAloneBecause;
}

/** What an undo does to the keys of a change: those it restores, and those that it leaves alone. */
export interface UndoPlan {
  restore: { id: string; before: unknown }[];
  leftAlone: KeyLeftAlone[];
}

const NOTHING: UndoPlan = { restore: [], leftAlone: [] };

/**
 * Undoes a change of many keys: restores those that are as the change has left them. A key that was changed since stays as
 * it is. A change that is not complete ends.
 */
@Injectable()
export class BulkUndoService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly edits: BulkEdits,
    private readonly approvals: ApprovalsService,
  ) {
    const toRequest = ({ actor, targetId, reason }: ApprovedRequest) => ({
      actor,
      changeId: targetId,
      reason,
    });
    approvals.register('bulk_undo', (approved) => ({ work: this.undoingNow(toRequest(approved)) }));
    approvals.register('bulk_keep', (approved) => ({ work: this.keeping(toRequest(approved)) }));
  }

  /** The newest changes of many keys. */
  async list(): Promise<BulkKeyChange[]> {
    return this.bulkChanges.listRecent(RECENT);
  }

  /** A change, with what an undo would do now: nothing once it was undone. */
  async get(id: string): Promise<{ change: BulkKeyChange; plan: UndoPlan }> {
    const change = isUuid(id) ? await this.bulkChanges.find(id) : null;
    if (!change) throw notFound(id);
    const plan = change.undoneAt ? NOTHING : toPlan(change, await this.bulkChanges.listKeys(id));
    return { change, plan };
  }

  /** What the undo timer of a change is about to do by itself waits for no second person. */
  async undo(request: UndoRequest): Promise<UndoPlan & { receipt: ChangeReceipt | null }> {
    let keys = 0;
    const work = this.undoingNow(request, ({ dueAt }, { restore }) => (keys = dueAt ? 0 : restore.length));
    const requested = { ...request, kind: 'bulk_undo' as const, args: () => ({}), countKeys: () => keys };
    const { result, receipt } = await this.approvals.make(work, requested);
    return { ...result, receipt };
  }

  /** Undoes a change if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, changeId: string): Promise<void> {
    await this.changes.make(async (em) => {
      const change = await this.lock(changeId, em);
      if (!change.dueAt || change.dueAt > new Date()) return { result: NOTHING, events: [] };
      return this.undoing({ actor, changeId, reason: NOT_KEPT }, change, em);
    });
  }

  /** Keeps a change that its undo timer would have reverted. */
  async keep(request: UndoRequest): Promise<void> {
    let keys = 0;
    const work = this.keeping(request, ({ changed }) => (keys = changed));
    const requested = { ...request, kind: 'bulk_keep' as const, args: () => ({}), countKeys: () => keys };
    await this.approvals.make(work, requested);
  }

  /** @param note gets the change, locked */
  private keeping(
    { actor, changeId, reason }: UndoRequest,
    note?: (change: BulkKeyChange) => void,
  ): ChangeWork {
    return async (em) => {
      const change = await this.lock(changeId, em);
      const { id, dueAt, action } = change;
      note?.(change);
      if (!dueAt) throw new DomainError('status_unchanged', { status: 'without a timer' });
      await this.bulkChanges.update(id, { dueAt: null }, em);
      const target = { type: 'api_keys' as const, id };
      const event = { actor, action: AUDIT_ACTIONS[action].kept, target, reason };
      return {
        result: undefined,
        events: [{ ...event, before: { undo_due_at: dueAt }, after: { undo_due_at: null } }],
      };
    };
  }

  /** @param note gets the change as it was, locked, and what its undo comes to */
  private undoingNow(
    request: UndoRequest,
    note?: (change: BulkKeyChange, plan: UndoPlan) => void,
  ): ChangeWork<UndoPlan> {
    return async (em) => {
      const change = await this.lock(request.changeId, em);
      if (change.undoneAt) throw new DomainError('status_unchanged', { status: 'undone' });
      const undone = await this.undoing(request, change, em);
      note?.(change, undone.result);
      return undone;
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
        after: { ...auditedBefore(edit.action, plan.restore), left_alone: plan.leftAlone.length },
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
  const judged = keys.map((key) => ({ ...key, because: whyLeftAlone(action, key) }));
  return {
    restore: judged.filter(({ because }) => because === null).map(({ id, before }) => ({ id, before })),
    leftAlone: judged.flatMap(({ id, name, because }) => (because === null ? [] : [{ id, name, because }])),
  };
}

function notFound(changeId: string): DomainError {
  return new DomainError('bulk_change_not_found', { changeId: changeId.slice(0, 100) });
}
