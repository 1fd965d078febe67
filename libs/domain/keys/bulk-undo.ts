import type { BulkAction } from './bulk-edit';

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
  /** What the change replaced, where undoing it needs that. */
  before: unknown;
}

export type LeftAloneBecause =
  'deleted' | 'enabled_since' | 'disabled_since' | 'changed_since' | 'account_closed';

/** Why an undo leaves a key alone; null when it restores what was before the change. */
export function whyLeftAlone(action: BulkAction, key: KeySinceChange): LeftAloneBecause | null {
  if (key.deleted) return 'deleted';
  if (action === 'disable' && !key.disabled) return 'enabled_since';
  if (action === 'enable' && key.disabled) return 'disabled_since';
  if (!key.unchanged) return 'changed_since';
  // Disabling is possible in a closed account, and nothing else.
  return action !== 'enable' && key.accountClosed ? 'account_closed' : null;
}
