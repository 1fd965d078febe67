import { isSetting, type BulkAction } from './bulk-edit';

/** Minutes after which a change can be undone automatically, at the most. */
export const MAX_UNDO_MINUTES = 7 * 24 * 60;

/** A key that was changed with many, as it is now. */
export interface KeySinceChange {
  id: string;
  name: string;
  /** Whether it still has the version that the change gave it. */
  unchanged: boolean;
  deleted: boolean;
  disabled: boolean;
  accountClosed: boolean;
  /** Whether a file of keys manages it. */
  managed: boolean;
  /** Whether the expiry that the change replaced is later than its policy allows now. */
  beyondPolicy: boolean;
  /** What the change replaced, where undoing it needs that. */
  before: unknown;
}

export type SkipReason =
  | 'deleted'
  | 'enabled_since'
  | 'disabled_since'
  | 'changed_since'
  | 'account_closed'
  | 'managed_by_file'
  | 'beyond_policy';

/** Why an undo leaves a key alone, as an edit to the same would; null when it restores what was before the change. */
export function whySkipped(action: BulkAction, key: KeySinceChange): SkipReason | null {
  if (key.deleted) return 'deleted';
  if (action === 'disable' && !key.disabled) return 'enabled_since';
  if (action === 'enable' && key.disabled) return 'disabled_since';
  if (!key.unchanged) return 'changed_since';
  // Disabling is possible in a closed account, and nothing else.
  if (action !== 'enable' && key.accountClosed) return 'account_closed';
  if (isSetting(action) && key.managed) return 'managed_by_file';
  return action === 'set_expiry' && key.beyondPolicy ? 'beyond_policy' : null;
}
