import type { BulkOutcome, BulkPlan } from '@app/administration/keys/bulk-changes.service';
import type { SkippedKey, UndoPlan } from '@app/administration/keys/bulk-undo.service';
import { checkCredits, futureTime } from '@app/domain/keys/key-field-checks';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { BulkKeyChange } from '@app/database/keys/bulk-key-change.entity';
import { checkTime } from '@app/domain/common/field-checks';
import { checkTag } from '@app/domain/common/tags';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { BULK_ACTIONS, type BulkAction, type BulkEdit, type Skipped } from '@app/domain/keys/bulk-edit';
import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { choose } from '../http/choose';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { REASON } from '../http/reason';
import { UndoMinutesField } from '../http/undo-minutes';

/** Keys that are named in one response. */
const MAX_NAMED = 100;
const MAYBE = { optional: true, nullable: true };

/** What is done to every key that matches, and the one field that the action needs. */
export class BulkEditBody {
  @EnumField(BULK_ACTIONS)
  action: BulkAction;

  /** For `disable`. */
  @EnumField(DISABLE_REASONS, { optional: true })
  disable_reason?: DisableReason;

  /** For `set_expiry`; null for a key that does not expire. */
  @CheckedField(checkTime, MAYBE)
  expires_at?: string | null;

  /** For `set_credit_limit`; null for the account's limit only. */
  @CheckedField(checkCredits, MAYBE)
  credit_limit?: number | null;

  /** For `add_tag` and `remove_tag`. */
  @CheckedField(checkTag, { optional: true })
  tag?: string;
}

export class BulkChangeBody extends BulkEditBody {
  @StringField(REASON)
  reason: string;

  /** `confirm` of the dry run, typed. */
  @StringField({ min: 1, max: 20 })
  confirm: string;

  /** Everything is undone after that time, unless the change is kept. */
  @UndoMinutesField()
  undo_after_minutes?: number | null;
}

export interface BulkChangeDetailResponse extends BulkChangeResponse {
  /** What an undo would do now. */
  undo: UndoResponse;
}

export interface UndoneBulkChangeResponse extends UndoResponse {
  receipt: ChangeReceipt | null;
}

/** The field that each action needs; the others are refused with it. */
const NEEDS: Record<BulkAction, 'disable_reason' | 'expires_at' | 'credit_limit' | 'tag' | null> = {
  enable: null,
  disable: 'disable_reason',
  set_expiry: 'expires_at',
  set_credit_limit: 'credit_limit',
  add_tag: 'tag',
  remove_tag: 'tag',
};

/** @throws InvalidInput when the action lacks its field, or has that of another */
export function toBulkEdit(body: BulkEditBody): BulkEdit {
  const { action, expires_at: expiresAt } = body;
  const needed = NEEDS[action];
  for (const field of ['disable_reason', 'expires_at', 'credit_limit', 'tag'] as const) {
    const input = body[field];
    if ((input === undefined) === (field !== needed)) continue;
    const accepted = field === needed ? `given for ${action}` : `left out for ${action}`;
    throw new InvalidInput([
      {
        type: field === needed ? 'missing' : 'value_error',
        path: [field],
        msg: `Input should be ${accepted}`,
        input: input ?? null,
        ctx: { accepted },
      },
    ]);
  }
  if (action !== 'set_expiry') return { action, value: needed === null ? null : body[needed] } as BulkEdit;
  const time = futureTime(typeof expiresAt === 'string' ? new Date(expiresAt) : null, new Date());
  return { action, value: time?.toISOString() ?? null };
}

export interface BulkPlanResponse extends ReturnType<typeof toBulkPlanResponse> {}

export function toBulkPlanResponse({ changes, skipped }: BulkPlan) {
  const alone = Object.entries(skipped).map(([because, keys]) => ({ because: because as Skipped, keys }));
  const count = alone.reduce((sum, { keys }) => sum + keys, changes);
  return {
    /** How many keys match. */
    count,
    /** How many of them would be changed. */
    changes,
    /** The others, by why they would stay as they are. */
    left_alone: alone,
    /** What has to be typed to confirm the change. */
    confirm: String(changes),
  };
}

export interface BulkOutcomeResponse extends ReturnType<typeof toBulkOutcomeResponse> {}

export function toBulkOutcomeResponse({ changed, skipped, changeId, receipt }: BulkOutcome) {
  return {
    /** How many keys were changed. */
    changed,
    left_alone: skipped,
    /** What can be undone; null when no key was changed. */
    change_id: changeId,
    /** Of the part of the change that spread least. */
    receipt,
  };
}

export interface BulkChangeResponse extends ReturnType<typeof toBulkChangeResponse> {}

export function toBulkChangeResponse(change: BulkKeyChange) {
  return {
    ...choose(change, 'id', 'action'),
    /** What it sets: a disable reason, a time, credits, a tag; null for none. */
    value: change.value,
    /** Keys that it is to change, and how many of them it has changed. */
    total: change.total,
    changed: change.changed,
    /** Keys that matched and stayed as they are. */
    left_alone: change.skipped,
    ...choose(change, 'reason', 'changedBy', 'changedAt'),
    /** Null while it runs. */
    finished_at: change.finishedAt?.toISOString() ?? null,
    /** When it is undone unless it is kept; null when only by hand. */
    due_at: change.dueAt?.toISOString() ?? null,
    ...choose(change, 'undoneAt', 'undoneBy'),
  };
}

interface UndoResponse extends ReturnType<typeof toUndoResponse> {}

export function toUndoResponse({ restore, skipped }: UndoPlan) {
  return {
    /** How many keys are as they were before the change. */
    restored: restore.length,
    /** How many were changed since and stay as they are; the first of them by name. */
    left_alone: skipped.length,
    left_alone_keys: skipped.slice(0, MAX_NAMED).map(toSkippedKey),
  };
}

export interface SkippedKeyResponse extends ReturnType<typeof toSkippedKey> {}

function toSkippedKey(key: SkippedKey) {
  return choose(key, 'id', 'name', 'because');
}
