/** Minutes after which a change can be undone automatically, at the most. */
export const MAX_UNDO_MINUTES = 7 * 24 * 60;

/** A key that a change of many has disabled, as it is now. */
export interface KeySinceChange {
  id: string;
  name: string;
  /** Whether it still has the version that the change gave it. */
  unchanged: boolean;
  deleted: boolean;
  disabled: boolean;
  accountClosed: boolean;
}

export type LeftAloneBecause = 'deleted' | 'enabled_since' | 'changed_since' | 'account_closed';

/** Why an undo leaves a key alone; null when it enables the key again. */
export function whyLeftAlone(key: KeySinceChange): LeftAloneBecause | null {
  if (key.deleted) return 'deleted';
  if (!key.disabled) return 'enabled_since';
  if (!key.unchanged) return 'changed_since';
  return key.accountClosed ? 'account_closed' : null;
}
