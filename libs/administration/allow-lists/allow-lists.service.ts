import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { Account } from '@app/database/accounts/account.entity';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { FormerEntry } from '@app/database/keys/former-entry';
import { AllowListRepository, type ListedEntry } from '@app/database/keys/allow-list.repository';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { addsNothing, compileAllowList, parseAllowList } from '@app/domain/allow-lists/allow-list';
import { ALLOW_LIST_TIER, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { refuseIfManaged } from '../audit/managed-by-file';
import { keyNotFound } from '../keys/api-key-changes.service';
import { keeping, NOT_KEPT, undoing, undoingIfDue } from '../keys/undo-work';
import { whyConfirm } from './allow-list-confirmation';
import { requireAccepted, type Draft, type GivenList } from './allow-list-draft';
import { AllowListDryRunsService, RECENT_DAYS, type AllowListDryRun } from './allow-list-dry-runs.service';
import {
  AuditedChanges,
  changing,
  type ChangeRequest,
  type ChangeWork,
  type Edit,
  type Locked,
} from '../audit/audited-changes';
import { isUuid } from '@app/domain/common/uuid';

/** A key's list with everything that is known of it. */
export interface AllowListView {
  keyId: string;
  version: number;
  entries: ListedEntry[] | null;
  status: 'no_list' | 'enforced' | 'corrupt';
  account: Account;
  /** Whether entries may be added: only what lets in new addresses needs the entitlement. */
  mayAdd: boolean;
  undo: { entries: ListedEntry[] | null; changedBy: string; changedAt: Date; dueAt: Date | null } | null;
}

/** Which list a change is about, and who makes it. */
interface ListTarget extends ChangeRequest {
  keyId: string;
}

/** A list as staff give it. */
interface GivenReplacement {
  list: GivenList;
  /** Whether they have confirmed what it would lock out or let in. */
  confirmed: boolean;
  undoAfterMinutes: number | null;
}

interface WantedList {
  /** Null: every address is let in. Accepted before. */
  draft: Draft | null;
  /** What the list would have done to recent requests; null for a change that is confirmed. */
  dryRun: AllowListDryRun | null;
  undoAfterMinutes: number | null;
}

export interface ChangedList {
  view: AllowListView;
  receipt: ChangeReceipt | null;
}

export interface ReplacedList extends ChangedList {
  draft: Draft | null;
  dryRun: AllowListDryRun;
}

/** What a change stores: the list, and when it is undone unless it is kept. */
interface ListPatch {
  entries: ListedEntry[] | null;
  dueAt: Date | null;
}

/** A key with its list, locked until the transaction ends. */
interface LockedList {
  key: ApiKey;
  account: Account;
  present: ListedEntry[] | null;
}

/** Changes of the allow-lists of keys by staff. */
@Injectable()
export class AllowListsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly lists: AllowListRepository,
    private readonly dryRuns: AllowListDryRunsService,
    private readonly undos: KeyUndoRepository,
  ) {}

  async get(keyId: string): Promise<AllowListView> {
    const key = isUuid(keyId) ? await this.keys.find(keyId) : null;
    const account = key && (await this.accounts.find(key.accountId));
    if (!account) throw keyNotFound(keyId);
    const entries = key.allowedIps && (await this.lists.listEntries(keyId, key.allowedIps));
    const undo = await this.undos.find(keyId, 'allowed_ips');
    return {
      keyId,
      version: key.version,
      entries,
      status: statusOf(key.allowedIps),
      account,
      mayAdd: mayPlaceAllowList(account),
      undo: undo && { ...undo, entries: entriesBefore(undo) },
    };
  }

  /**
   * Gives a key another list, or none, after a dry run. What could lock a client out, or let every address in, has to be
   * confirmed; what lets in new addresses needs the entitlement. A list that is the same changes nothing.
   */
  async replace(target: ListTarget, given: GivenReplacement): Promise<ReplacedList> {
    const draft = this.dryRuns.read(given.list);
    const dryRun = await this.dryRuns.run(target.keyId, draft, RECENT_DAYS);
    const { undoAfterMinutes, confirmed } = given;
    const storing = this.storing(target, { draft, dryRun: confirmed ? null : dryRun, undoAfterMinutes });
    return { ...(await this.make(target, storing)), draft, dryRun };
  }

  /** `replace` as a part of a larger change: confirmed, and without a dry run. */
  replacing(target: ListTarget, list: GivenList): ChangeWork {
    const draft = this.dryRuns.read(list);
    if (draft) requireAccepted(draft);
    return this.storing(target, { draft, dryRun: null, undoAfterMinutes: null });
  }

  private storing(target: ListTarget, wanted: WantedList): ChangeWork {
    return this.changing(target, async (locked) => {
      refuseIfManaged('API key', locked.key, target.actor);
      const entries = wanted.draft && toListed(wanted.draft, locked.present ?? [], target.actor.name);
      if (isSame(locked.present, entries)) return null;
      refuseEndsInThePast(wanted.draft, entries, locked.present ?? []);
      if (locked.account.status === 'closed') throw new DomainError('account_closed');
      requireEntitlement(locked, entries);
      if (wanted.dryRun) requireNoConfirmation(wanted.draft, wanted.dryRun, locked.present);
      const minutes = wanted.undoAfterMinutes;
      const dueAt = minutes === null ? null : new Date(Date.now() + minutes * 60_000);
      return toEdit('key.allow_list_changed', locked, { entries, dueAt });
    });
  }

  /** Restores the list from before the last change. That can be undone in the same way. */
  async undo(target: ListTarget): Promise<ChangedList> {
    return this.make(target, undoing(this.undoable(target)));
  }

  /** Keeps a change that its undo timer would have reverted. */
  async keep(target: ListTarget): Promise<ChangedList> {
    return this.make(target, keeping(this.undoable(target)));
  }

  /** Reverts the last change of a list if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, keyId: string): Promise<void> {
    const target: ListTarget = { actor, keyId, expected: 'any', reason: NOT_KEPT };
    await this.changes.make(undoingIfDue(this.undoable(target)));
  }

  private undoable(target: ListTarget) {
    return {
      undos: this.undos,
      keyId: target.keyId,
      setting: 'allowed_ips' as const,
      changing: (edit: (list: LockedList, em: EntityManager) => Promise<Edit<ListPatch> | null>) =>
        this.changing(target, edit),
      kept: 'key.allow_list_kept',
      restore: (locked: LockedList, undo: KeyUndo) => {
        refuseIfManaged('API key', locked.key, target.actor);
        return toEdit('key.allow_list_undone', locked, { entries: entriesBefore(undo), dueAt: null });
      },
    };
  }

  private async make({ keyId }: ListTarget, work: ChangeWork): Promise<ChangedList> {
    const { receipt } = await this.changes.make(work);
    return { view: await this.get(keyId), receipt };
  }

  private changing(
    target: ListTarget,
    edit: (list: LockedList, em: EntityManager) => Promise<Edit<ListPatch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.lock(target, em), edit);
  }

  private async lock(
    { keyId, actor }: ListTarget,
    em: EntityManager,
  ): Promise<Locked<LockedList, ListPatch>> {
    const key = isUuid(keyId) ? await this.keys.lock(keyId, em) : null;
    const account = key && (await this.accounts.find(key.accountId, em));
    if (!account) throw keyNotFound(keyId);
    const present = key.allowedIps && (await this.lists.listEntries(keyId, key.allowedIps, em));
    const list = { key, account, present };
    return {
      thing: list,
      version: key.version,
      auditTarget: { type: 'api_key', id: key.id, accountId: key.accountId },
      save: (patch) => this.save(actor, list, patch, em),
      announce: { keyId: key.id },
    };
  }

  /** Stores a list, and the one before it for an undo. */
  private async save(
    actor: AuditActor,
    { key, present }: LockedList,
    { entries, dueAt }: ListPatch,
    em: EntityManager,
  ): Promise<void> {
    await this.keys.update(key.id, { allowedIps: entries && entries.map(({ cidr }) => cidr) }, em);
    await this.lists.replaceEntries(key.id, entries ?? [], em);
    const undo = { before: present && present.map(toFormer), changedBy: actor.name, changedAt: new Date() };
    await this.undos.save([{ keyId: key.id, setting: 'allowed_ips', ...undo, dueAt }], em);
  }
}

/** The edit that stores another list. */
function toEdit(action: string, { present }: LockedList, patch: ListPatch): Edit<ListPatch> {
  const { entries, dueAt } = patch;
  return {
    patch,
    action,
    before: { allowed_ips: present && present.map(toAudited) },
    after: { allowed_ips: entries && entries.map(toAudited), ...(dueAt && { undo_due_at: dueAt }) },
  };
}

function entriesBefore({ before }: KeyUndo): ListedEntry[] | null {
  return before === null ? null : (before as FormerEntry[]).map(fromFormer);
}

function statusOf(allowedIps: string[] | null): AllowListView['status'] {
  if (allowedIps === null) return 'no_list';
  return compileAllowList(allowedIps).corrupt === null ? 'enforced' : 'corrupt';
}

/** The entries as they will be listed: one that was there already keeps who added it and when. */
function toListed(draft: Draft, present: readonly ListedEntry[], addedBy: string): ListedEntry[] {
  const known = new Map(present.map((entry) => [entry.cidr, entry]));
  const now = new Date();
  return draft.entries.map(({ cidr, note, endsAt }) => {
    const before = known.get(cidr);
    // What is said of an entry is stored with who has said it.
    const isStored = before && (before.addedBy !== null || (note === null && endsAt === null));
    if (isStored) return { ...before, note: draft.asText ? (note ?? before.note) : note, endsAt };
    return { cidr, note, endsAt, addedBy, addedAt: now };
  });
}

function isSame(a: ListedEntry[] | null, b: ListedEntry[] | null): boolean {
  const content = (entries: ListedEntry[] | null) =>
    JSON.stringify(entries && entries.map(({ cidr, note, endsAt }) => [cidr, note, endsAt]));
  return content(a) === content(b);
}

function refuseEndsInThePast(
  draft: Draft | null,
  entries: ListedEntry[] | null,
  present: readonly ListedEntry[],
): void {
  const now = new Date();
  const problems = (entries ?? []).flatMap(({ cidr, endsAt }, place) => {
    const before = present.find((entry) => entry.cidr === cidr);
    if (!endsAt || endsAt > now || before?.endsAt?.getTime() === endsAt.getTime()) return [];
    const accepted = `a time after ${now.toISOString()}`;
    const path = ['entries', draft?.entries[place]?.index ?? place, 'ends_at'];
    return [
      {
        type: 'value_error',
        path,
        msg: `Input should be ${accepted}`,
        input: endsAt.toISOString(),
        ctx: { accepted },
      },
    ];
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}

function requireEntitlement({ account, present }: LockedList, wanted: ListedEntry[] | null): void {
  if (wanted === null || mayPlaceAllowList(account)) return;
  if (present !== null && addsNothing(toKept(wanted), toKept(present))) return;
  throw new DomainError(
    'feature_not_available',
    {
      feature: present === null ? 'A new IP allow-list' : 'A new entry on an IP allow-list',
      tier: account.tier,
      needs: `the tier ${ALLOW_LIST_TIER}, and that an account manager has switched it on`,
    },
    { param: 'entries' },
  );
}

/** The entries as the rules compare them. A stored list that is corrupt has none. */
function toKept(entries: readonly ListedEntry[]) {
  return parseAllowList(
    entries.map(({ cidr, endsAt }) => ({ text: cidr, endsAtMs: endsAt?.getTime() ?? null })),
  ).entries;
}

function requireNoConfirmation(
  draft: Draft | null,
  dryRun: AllowListDryRun,
  present: ListedEntry[] | null,
): void {
  const reasons = whyConfirm(draft?.parsed ?? null, dryRun, present !== null);
  if (reasons.length === 0) return;
  throw new DomainError('confirmation_required', { reasons: reasons.join(' ') }, { param: 'confirm' });
}

/** An entry as the audit log keeps it: with the names of the API. */
function toAudited({ cidr, note, endsAt, addedBy, addedAt }: ListedEntry) {
  return { cidr, note, ends_at: endsAt, added_by: addedBy, added_at: addedAt };
}

function toFormer({ endsAt, addedAt, ...entry }: ListedEntry): FormerEntry {
  return { ...entry, endsAt: endsAt?.toISOString() ?? null, addedAt: addedAt?.toISOString() ?? null };
}

function fromFormer({ endsAt, addedAt, ...entry }: FormerEntry): ListedEntry {
  return {
    ...entry,
    endsAt: endsAt === null ? null : new Date(endsAt),
    addedAt: addedAt === null ? null : new Date(addedAt),
  };
}
