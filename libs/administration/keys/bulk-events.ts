import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { BulkAction, BulkEdit } from '@app/domain/keys/bulk-edit';

/** The actions of the audit log. */
interface Actions {
  done: AuditAction;
  undone: AuditAction;
  kept: AuditAction;
}

const EDITED: Actions = { done: 'keys.edited', undone: 'keys.edit_undone', kept: 'keys.edit_kept' };

/** What the audit log calls a change of many keys, its undo, and that it was kept. */
export const AUDIT_ACTIONS: Record<BulkAction, Actions> = {
  enable: { done: 'keys.enabled', undone: 'keys.enable_undone', kept: 'keys.enable_kept' },
  disable: { done: 'keys.disabled', undone: 'keys.disable_undone', kept: 'keys.disable_kept' },
  set_expiry: EDITED,
  set_credit_limit: EDITED,
  add_tag: EDITED,
  remove_tag: EDITED,
};

/** The name in the API of what an edit sets. */
const FIELDS: Record<BulkAction, string> = {
  enable: 'disable_reason',
  disable: 'disable_reason',
  set_expiry: 'expires_at',
  set_credit_limit: 'credit_limit',
  add_tag: 'added_tag',
  remove_tag: 'removed_tag',
};

/** What an edit sets, as the audit log keeps it. */
export function auditedValue({ action, value }: BulkEdit): object {
  return { [FIELDS[action]]: value };
}

/** What keys had before, as the audit log keeps it: the former values, each with the number of keys that had it. */
export function auditedBefore(action: BulkAction, keys: readonly { before: unknown }[]): object {
  const counts = new Map<string, number>();
  for (const { before } of keys) {
    const text = JSON.stringify(shown(action, before));
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const values = [...counts].map(([text, count]) => ({ value: JSON.parse(text) as unknown, keys: count }));
  return { [FIELDS[action]]: values.length === 1 ? values[0]!.value : values };
}

function shown(action: BulkAction, before: unknown): unknown {
  return action === 'enable' ? (before as { disable_reason: string }).disable_reason : (before ?? null);
}
