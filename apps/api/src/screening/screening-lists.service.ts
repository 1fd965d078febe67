import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { ScreeningEntryRow } from '@app/database/voices/screening-entry.entity';
import { ScreeningRepository, type ScreenedVoice } from '@app/database/voices/screening.repository';
import { isUuid } from '@app/domain/common/uuid';
import { checkVersion, contentVersion, type ExpectedVersion } from '@app/domain/common/version';
import { DomainError } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { Screening, skeletonOf, type ScreenedField, type ScreeningEntry } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { isProfane } from './profanity';
import { ScreeningService } from './screening.service';

const MAX_ENTRIES = 2_000;
/** Read at a time in a dry run; other requests are served in between. */
const BATCH = 200;
const MAX_VOICES = 20_000;
const MAX_EXAMPLES = 50;

type NewEntry = Omit<ScreeningEntry, 'id'>;

/** Why an entry, or the list of profane words, changes, and the version that the change is based on. */
interface EntryChange {
  reason: string;
  expected: ExpectedVersion;
}

export function entryVersion({ list, text, accountId }: NewEntry): number {
  return contentVersion({ list, text, accountId });
}

/** The version of whether the list of profane words counts. */
export function profanityVersion({ profanity }: { profanity: boolean }): number {
  return contentVersion({ profanity });
}

export interface ScreenedExample extends ScreenedVoice {
  field: ScreenedField;
}

export interface ScreeningDryRun {
  checked: number;
  hits: number;
  examples: ScreenedExample[];
  /** Whether voices were left out because there are more than are looked at at once. */
  isPartial: boolean;
}

/** The lists that staff keep, and what they would have met. */
@Injectable()
export class ScreeningLists {
  constructor(
    private readonly lists: ScreeningRepository,
    private readonly accounts: AccountRepository,
    private readonly changes: AuditedChanges,
    private readonly screening: ScreeningService,
  ) {}

  async list(): Promise<{ profanity: boolean; entries: ScreeningEntryRow[] }> {
    const [{ profanity }, entries] = await Promise.all([this.lists.getState(), this.lists.list()]);
    return { profanity, entries };
  }

  async add(staff: Staff, entry: NewEntry, reason: string): Promise<string> {
    await this.requireAccount(entry);
    return this.change(staff, reason, async (em) => {
      const entries = await this.lists.list(em);
      if (entries.length >= MAX_ENTRIES) throw new DomainError('screening_full', { limit: MAX_ENTRIES });
      requireNew(entry, entries);
      const id = await this.lists.insert(entry, staff.email, em);
      return { result: id, action: 'screening.entry_added', id, before: null, after: toAudit(entry) };
    });
  }

  async edit(
    staff: Staff,
    id: string,
    { text, accountId }: Pick<NewEntry, 'text' | 'accountId'>,
    { reason, expected }: EntryChange,
  ): Promise<void> {
    await this.change(staff, reason, async (em) => {
      const entries = await this.lists.list(em);
      const before = entries.find((entry) => entry.id === id);
      if (!before) throw entryNotFound(id);
      checkVersion(expected, entryVersion(before));
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

  async remove(staff: Staff, id: string, { reason, expected }: EntryChange): Promise<void> {
    await this.change(staff, reason, async (em) => {
      const before = (await this.lists.list(em)).find((entry) => entry.id === id);
      if (!before) throw entryNotFound(id);
      checkVersion(expected, entryVersion(before));
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

  async setProfanity(staff: Staff, profanity: boolean, { reason, expected }: EntryChange): Promise<void> {
    await this.change(staff, reason, async (em) => {
      const before = await this.lists.getState(em);
      checkVersion(expected, profanityVersion(before));
      await this.lists.touch(em, profanity);
      const audited = { before: { profanity: before.profanity }, after: { profanity } };
      return { result: undefined, action: 'screening.profanity_set', id: 'profanity', ...audited };
    });
  }

  /** Which voices an entry, or the list of profane words (null), would have met. Nothing changes. */
  async dryRun(entry: NewEntry | null): Promise<ScreeningDryRun> {
    if (entry) requireReadable(entry);
    const screening = new Screening(entry ? [{ id: 'dry-run', ...entry }] : []);
    const meets = (text: string, field: ScreenedField, accountId: string) =>
      entry ? screening.find(text, field, accountId) !== null : isProfane(text);
    const result: ScreeningDryRun = { checked: 0, hits: 0, examples: [], isPartial: false };
    for (let afterId = ''; ; await nextTurn()) {
      const batch = await this.lists.listVoices(afterId, BATCH);
      for (const voice of batch) addVoice(voice, meets, result);
      if (batch.length < BATCH) return result;
      if (result.checked >= MAX_VOICES) return { ...result, isPartial: true };
      afterId = batch.at(-1)!.id;
    }
  }

  private async change<T>(
    staff: Staff,
    reason: string,
    edit: (
      em: EntityManager,
    ) => Promise<{ result: T; action: string; id: string; before: object | null; after: object | null }>,
  ): Promise<T> {
    const { result } = await this.changes.make(async (em) => {
      await this.lists.touch(em);
      const { result: edited, action, id, before, after } = await edit(em);
      const target = { type: 'screening', id };
      return { result: edited, events: [{ actor: byStaff(staff), action, target, before, after, reason }] };
    });
    this.screening.invalidate();
    return result;
  }

  private async requireAccount({ accountId }: NewEntry): Promise<void> {
    if (accountId === null) return;
    if (!isUuid(accountId) || !(await this.accounts.find(accountId)))
      throw new DomainError('account_not_found', { accountId }, { param: 'account_id' });
  }
}

function addVoice(
  voice: ScreenedVoice,
  meets: (text: string, field: ScreenedField, accountId: string) => boolean,
  result: ScreeningDryRun,
): void {
  result.checked += 1;
  const fields: ('name' | 'description')[] = ['name', 'description'];
  const field = fields.find((each) => meets(voice[each], each, voice.accountId));
  if (!field) return;
  result.hits += 1;
  if (result.examples.length < MAX_EXAMPLES) result.examples.push({ ...voice, field });
}

/** @throws DomainError for an entry that the list has already, or that nothing can be like */
function requireNew(entry: NewEntry, others: readonly NewEntry[]): void {
  requireReadable(entry);
  const letters = lettersOf(entry.text);
  const same = others.find((other) => other.list === entry.list && lettersOf(other.text) === letters);
  if (same) throw new DomainError('screening_entry_exists', { text: same.text }, { param: 'text' });
}

function requireReadable({ text }: NewEntry): void {
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
