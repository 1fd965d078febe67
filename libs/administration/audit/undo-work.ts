import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import type { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { UndoneSetting } from '@app/domain/audit/undone-settings';
import { DomainError } from '@app/domain/errors';
import type { EntityManager } from 'typeorm';
import type { ChangeWork } from './audited-changes';
import type { Edit } from './locked-change';

/** A setting of a key, an account or a budget whose last change can be undone or kept: the one way for all of them. */
interface Undoable<T, P> {
  undos: KeyUndoRepository;
  subjectId: string;
  setting: UndoneSetting;
  /** Makes a change of what has the setting, locked. */
  changing: (edit: (resource: T, em: EntityManager) => Promise<Edit<P> | null>) => ChangeWork;
  /** The action of the audit log when a change is kept. */
  keepAction: AuditAction;
  /** What the audit log says of the setting itself when its change is kept; by default nothing. */
  auditedValue?: (resource: T, undo: KeyUndo) => { before: object; after: object };
  /** The change that restores what was before; refuses what an edit to the same would refuse. */
  restore: (resource: T, undo: KeyUndo, em: EntityManager) => Edit<P> | Promise<Edit<P>>;
}

/** Restores what was before the last change. That can be undone in the same way. */
export function undoing<T, P>({ undos, subjectId, setting, changing, restore }: Undoable<T, P>): ChangeWork {
  return changing(async (resource, em) => {
    const undo = await undos.find(subjectId, setting, em);
    if (!undo) throw new DomainError('no_setting_change', { setting, verb: 'undone' });
    return restore(resource, undo, em);
  });
}

/** Keeps a change that its undo timer would have reverted. */
export function keeping<T, P>(undoable: Undoable<T, P>): ChangeWork {
  const { undos, subjectId, setting, changing, keepAction, auditedValue } = undoable;
  return changing(async (resource, em) => {
    const undo = await undos.find(subjectId, setting, em);
    if (!undo?.dueAt) throw new DomainError('no_setting_change', { setting, verb: 'kept' });
    await undos.clearDue(subjectId, setting, em);
    const { before, after } = auditedValue?.(resource, undo) ?? {};
    return {
      action: keepAction,
      before: { undo_due_at: undo.dueAt, ...before },
      after: { undo_due_at: null, ...after },
    };
  });
}

/**
 * Reverts the last change if its undo timer has run out and the change was not kept. What may not be restored any more, such
 * as an expiry that a policy has ruled out since, stays as it is, and the audit log says why.
 */
export function undoingIfDue<T, P>(undoable: Undoable<T, P>): ChangeWork {
  const { undos, subjectId, setting, changing, keepAction, restore } = undoable;
  return changing(async (resource, em) => {
    const undo = await undos.find(subjectId, setting, em);
    if (!undo?.dueAt || undo.dueAt > new Date()) return null;
    try {
      return await restore(resource, undo, em);
    } catch (error) {
      if (!(error instanceof DomainError || error instanceof InvalidInput)) throw error;
      await undos.clearDue(subjectId, setting, em);
      const after = { undo_due_at: null, not_undone: error.message };
      return { action: keepAction, before: { undo_due_at: undo.dueAt }, after };
    }
  });
}

/** Why a change is reverted that was not kept. */
export const NOT_SAVED_IN_TIME = 'The change was not kept in time.';
