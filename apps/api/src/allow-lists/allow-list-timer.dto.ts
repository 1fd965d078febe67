import type { ListTimer } from '@app/database/keys/key-undo.repository';
import { checkManager } from '../http/account-filters';
import { CheckedField } from '../http/fields';

export class AllowListTimersQuery {
  /** The account manager of the account: an id, `me`, or `none` for accounts without one. */
  @CheckedField(checkManager, { optional: true })
  manager?: string;
}

export interface AllowListTimersResponse extends ReturnType<typeof toTimersResponse> {}

export function toTimersResponse({ items, total }: { items: ListTimer[]; total: number }) {
  return {
    /** The first 50, in the order in which they are reverted. */
    items: items.map(toTimerResponse),
    /** How many there are. */
    total,
  };
}

export interface AllowListTimerResponse extends ReturnType<typeof toTimerResponse> {}

function toTimerResponse({ kind, id, name, accountId, accountName, changedBy, dueAt }: ListTimer) {
  return {
    kind,
    /** Of the key or the account whose list it is. */
    id,
    name,
    account: { id: accountId, name: accountName },
    changed_by: changedBy,
    /** When the change is reverted, unless it is kept. */
    due_at: dueAt.toISOString(),
  };
}
