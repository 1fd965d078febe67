import { compileAllowList, type CompiledAllowList } from '@app/domain/allow-lists/allow-list';

/** Accounts whose compiled lists are cached; the one that was used longest ago goes first. */
const MAX_ACCOUNTS = 1_000;

interface Stored {
  text: string;
  list: CompiledAllowList;
}

/** Compiled lists of accounts: the keys of an account share one. */
export class AccountLists {
  private readonly stored = new Map<string, Stored>();

  /** @param endsMs when entries stop matching, by their text; null when none does */
  compiled(
    accountId: string,
    allowedIps: string[],
    endsMs: Record<string, number> | null,
  ): CompiledAllowList {
    const text = JSON.stringify([allowedIps, endsMs]);
    const known = this.stored.get(accountId);
    const found = known?.text === text ? known : { text, list: compileAllowList(allowedIps, endsMs ?? {}) };
    this.stored.delete(accountId);
    this.stored.set(accountId, found);
    const [oldest] = this.stored.keys();
    if (this.stored.size > MAX_ACCOUNTS && oldest !== undefined) this.stored.delete(oldest);
    return found.list;
  }
}
