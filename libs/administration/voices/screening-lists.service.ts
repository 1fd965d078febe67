import { AuditedChanges } from '../audit/audited-changes';
import type { ChangeRequest, Edit } from '../audit/locked-change';
import { accountNotFound, AccountRepository } from '@app/database/accounts/account.repository';
import type { ScreeningEntryRow } from '@app/database/voices/screening-entry.entity';
import { ScreeningRepository } from '@app/database/voices/screening.repository';
import { checkVersion, contentVersion } from '@app/domain/common/version';
import { DomainError } from '@app/domain/errors';
import { skeletonOf, type ScreeningEntry } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

const MAX_ENTRIES = 2_000;

/** An entry before it is stored. */
export type NewEntry = Omit<ScreeningEntry, 'id'>;

/** The version of an entry. */
export function entryVersion({ list, text, accountId }: NewEntry): number {
  return contentVersion({ list, text, accountId });
}

/** The version of whether the list of profane words counts. */
export function profanityVersion({ profanity }: { profanity: boolean }): number {
  return contentVersion({ profanity });
}

/** The lists that staff keep of what names, descriptions and texts must not have. */
@Injectable()
export class ScreeningListsService {
  constructor(
    private readonly lists: ScreeningRepository,
    private readonly accounts: AccountRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** Every entry, and whether the list of profane words counts. */
  async list(): Promise<{ profanity: boolean; entries: ScreeningEntryRow[] }> {
    const [{ profanity }, entries] = await Promise.all([this.lists.getState(), this.lists.list()]);
    return { profanity, entries };
  }

  /** Adds an entry. Returns its id. */
  async add({ actor, reason }: Omit<ChangeRequest, 'expected'>, entry: NewEntry): Promise<string> {
    await this.requireAccount(entry);
    return this.change({ actor, reason }, async (em) => {
      const entries = await this.lists.list(em);
      if (entries.length >= MAX_ENTRIES) throw new DomainError('screening_full', { limit: MAX_ENTRIES });
      requireNew(entry, entries);
      const id = await this.lists.insert(entry, actor.name, em);
      return { result: id, action: 'screening.entry_added', id, before: null, after: toAudit(entry) };
    });
  }

  /** Gives an entry another text, or another account that may use it. */
  async edit(
    request: ChangeRequest,
    id: string,
    { text, accountId }: Pick<NewEntry, 'text' | 'accountId'>,
  ): Promise<void> {
    await this.change(request, async (em) => {
      const entries = await this.lists.list(em);
      const before = entries.find((entry) => entry.id === id);
      if (!before) throw entryNotFound(id);
      checkVersion(request.expected, entryVersion(before));
      const entry = { list: before.list, text, accountId };
      await this.requireAccount(entry);
      requireNew(
        entry,
        entries.filter((other) => other.id !== id),
      );
      await this.lists.update(id, entry, em);
      return {
        result: undefined,
        action: 'screening.entry_edited',
        id,
        before: toAudit(before),
        after: toAudit(entry),
      };
    });
  }

  /** Removes an entry. */
  async remove(request: ChangeRequest, id: string): Promise<void> {
    await this.change(request, async (em) => {
      const before = (await this.lists.list(em)).find((entry) => entry.id === id);
      if (!before) throw entryNotFound(id);
      checkVersion(request.expected, entryVersion(before));
      await this.lists.delete(id, em);
      return {
        result: undefined,
        action: 'screening.entry_removed',
        id,
        before: toAudit(before),
        after: null,
      };
    });
  }

  /** Sets whether the list of profane words counts. */
  async setProfanity(request: ChangeRequest, profanity: boolean): Promise<void> {
    await this.change(request, async (em) => {
      const before = await this.lists.getState(em);
      checkVersion(request.expected, profanityVersion(before));
      await this.lists.touch(em, profanity);
      const audited = { before: { profanity: before.profanity }, after: { profanity } };
      return { result: undefined, action: 'screening.profanity_set', id: 'profanity', ...audited };
    });
  }

  private async change<T>(
    { actor, reason }: Omit<ChangeRequest, 'expected'>,
    edit: (em: EntityManager) => Promise<Edit & { id: string; result: T }>,
  ): Promise<T> {
    const { result } = await this.changes.make(async (em) => {
      await this.lists.touch(em);
      const { result: edited, id, ...audited } = await edit(em);
      const target = { type: 'screening', id };
      return { result: edited, events: [{ ...audited, actor, target, reason }] };
    });
    return result;
  }

  private async requireAccount({ accountId }: NewEntry): Promise<void> {
    if (accountId !== null && !(await this.accounts.find(accountId)))
      throw accountNotFound(accountId, 'account_id');
  }
}

/** @throws DomainError for an entry that the list has already, or that nothing can be like */
function requireNew(entry: NewEntry, others: readonly NewEntry[]): void {
  requireReadable(entry);
  const letters = lettersOf(entry.text);
  const same = others.find((other) => other.list === entry.list && lettersOf(other.text) === letters);
  if (same) throw new DomainError('screening_entry_exists', { text: same.text }, { param: 'text' });
}

/** @throws DomainError for an entry that nothing can be like */
export function requireReadable({ text }: NewEntry): void {
  if ([...lettersOf(text)].length >= 2) return;
  const reason = `'${text}' has fewer than two letters or digits. An entry has at least two.`;
  throw new DomainError('invalid_parameters', { reason }, { param: 'text' });
}

function lettersOf(text: string): string {
  return skeletonOf(text).replace(/[^\p{L}\p{N}]/gu, '');
}

function toAudit({ list, text, accountId }: NewEntry): object {
  return { name: text, list, account_id: accountId };
}

function entryNotFound(entryId: string): DomainError {
  return new DomainError('screening_entry_not_found', { entryId }, { param: 'entry_id' });
}
