import type { KeyLeftAlone, UndoPlan } from '@app/administration/keys/bulk-undo.service';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { BulkKeyChange } from '@app/database/keys/bulk-key-change.entity';

/** Keys that are named in one response. */
const MAX_NAMED = 100;

export interface BulkChangeResponse {
  id: string;
  /** How many keys it disabled. */
  disabled: number;
  disable_reason: string;
  reason: string;
  changed_by: string;
  changed_at: string;
  /** When it is undone unless it is kept; null when only by hand. */
  due_at: string | null;
  undone_at: string | null;
  undone_by: string | null;
}

interface KeyLeftAloneResponse {
  id: string;
  name: string;
  because: KeyLeftAlone['because'];
}

interface UndoResponse {
  /** How many keys are enabled again. */
  enabled: number;
  /** How many were changed since and stay as they are; the first of them by name. */
  left_alone: number;
  left_alone_keys: KeyLeftAloneResponse[];
}

export interface BulkChangeDetailResponse extends BulkChangeResponse {
  /** What an undo would do now. */
  undo: UndoResponse;
}

export interface UndoneBulkChangeResponse extends UndoResponse {
  receipt: ChangeReceipt | null;
}

export function toBulkChangeResponse(change: BulkKeyChange): BulkChangeResponse {
  return {
    id: change.id,
    disabled: change.keyIds.length,
    disable_reason: change.disableReason,
    reason: change.reason,
    changed_by: change.changedBy,
    changed_at: change.changedAt.toISOString(),
    due_at: change.dueAt?.toISOString() ?? null,
    undone_at: change.undoneAt?.toISOString() ?? null,
    undone_by: change.undoneBy,
  };
}

export function toUndoResponse({ enable, leftAlone }: UndoPlan): UndoResponse {
  return {
    enabled: enable.length,
    left_alone: leftAlone.length,
    left_alone_keys: leftAlone.slice(0, MAX_NAMED),
  };
}
