import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { type ListedEntry, type ListOwner } from '@app/database/keys/allow-list.repository';
import { isStatementTimeout } from '@app/database/common/statement-timeout';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository, type ListTimer } from '@app/database/keys/key-undo.repository';
import { addsNothing, parseAllowList } from '@app/domain/allow-lists/allow-list';
import { listNotAvailable, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { refuseIfManaged } from '../audit/managed-by-file';
import { keeping, NOT_SAVED_IN_TIME, undoing, undoingIfDue } from '../audit/undo-work';
import { whyConfirm } from './allow-list-confirmation';
import { requireAccepted, type Draft } from './allow-list-draft';
import type { InputList } from '@app/domain/allow-lists/input-list';
import { AllowListDryRunsService, RECENT_DAYS, type AllowListDryRun } from './allow-list-dry-runs.service';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, type Edit } from '../audit/locked-change';
import { isUuid } from '@app/domain/common/uuid';
import { approvable, args, type ApprovedRequest } from '../approvals/approvable';
import { boolean, listOf, nullable, number, object, optional, text, time } from '../approvals/json-shape';
import { PolicyRulesService } from '../keys/policy-rules.service';
import { ApprovalsService } from '../approvals/approvals.service';
import {
  entriesBefore,
  StoredAllowLists,
  type AllowListView,
  type ListPatch,
  type ListTarget,
  type LockedList,
} from './stored-allow-lists';

const TIMERS_LISTED = 50;

/** A list as staff give it. */
interface ReplacementInput {
  list: InputList;
  /** Whether they have confirmed what it would lock out or let in. */
  confirmed: boolean;
  undoAfterMinutes: number | null;
}

interface RequestedList {
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
  /** Null when there is too much traffic to examine, and the change was confirmed. */
  dryRun: AllowListDryRun | null;
}

/** How a list is removed, or replaced by a very wide one: by another list, by undoing the change that placed it, or by keeping its end. */
type ListRemoval =
  | { list: InputList; undoAfterMinutes: number | null }
  | { byUndo: true }
  | { byKeeping: true };

const LIST = object({
  text: optional(text),
  entries: optional(
    nullable(listOf(object({ address: text, note: optional(nullable(text)), endsAt: time }))),
  ),
});

export const LIST_REMOVAL = args<ListRemoval>(
  object({
    list: optional(LIST),
    byUndo: optional(boolean),
    byKeeping: optional(boolean),
    undoAfterMinutes: optional(nullable(number)),
  }),
);

/** Changes of the allow-lists of keys and accounts by staff. */
@Injectable()
export class AllowListsService {
  readonly approvable = {
    list_removal: approvable('list_removal', LIST_REMOVAL, (approved) => ({ work: this.removing(approved) })),
  };

  constructor(
    private readonly changes: AuditedChanges,
    private readonly stored: StoredAllowLists,
    private readonly dryRuns: AllowListDryRunsService,
    private readonly undos: KeyUndoRepository,
    private readonly approvals: ApprovalsService,
    private readonly rules: PolicyRulesService,
  ) {}

  /**
   * Gives a key or an account another list, or none, after a dry run. What could lock a client out, or let every address in, has to be
   * confirmed; what lets in new addresses needs the entitlement. A list that is the same changes nothing.
   */
  async replace(target: ListTarget, input: ReplacementInput): Promise<ReplacedList> {
    const draft = this.dryRuns.read(input.list);
    const { list, undoAfterMinutes, confirmed } = input;
    const dryRun = await this.dryRuns.run(target.owner, draft, RECENT_DAYS).catch((error: unknown) => {
      // What is confirmed is saved even with more traffic than can be examined.
      if (!confirmed || !isStatementTimeout(error)) throw error;
      if (draft) requireAccepted(draft);
      return null;
    });
    const storing = this.storing(target, { draft, dryRun: confirmed ? null : dryRun, undoAfterMinutes });
    return { ...(await this.make(target, storing, { list, undoAfterMinutes })), draft, dryRun };
  }

  /** Lists whose change is reverted automatically, see `KeyUndoRepository.listListTimers`. */
  async listTimers(managerId: string | null | undefined): Promise<{ items: ListTimer[]; total: number }> {
    return this.undos.listListTimers(managerId, TIMERS_LISTED);
  }

  /** The removal of a list that was confirmed when it was requested, by `replace`, `undo` or `keep`. */
  private removing({ targetId: id, targetType, args, ...request }: ApprovedRequest<ListRemoval>): ChangeWork {
    const target: ListTarget = {
      ...request,
      owner: { kind: targetType === 'account' ? 'account' : 'key', id },
    };
    if ('byUndo' in args) return undoing(this.undoable(target));
    if ('byKeeping' in args) return keeping(this.undoable(target));
    const { list = NONE, undoAfterMinutes = null } = args as Partial<typeof args>;
    return this.storing(target, {
      draft: this.dryRuns.read(withDates(list)),
      dryRun: null,
      undoAfterMinutes,
    });
  }

  /** `replace` as a part of a larger change: confirmed, and without a dry run. */
  replacing(target: ListTarget, list: InputList): ChangeWork {
    const draft = this.dryRuns.read(list);
    if (draft) requireAccepted(draft);
    return this.storing(target, { draft, dryRun: null, undoAfterMinutes: null });
  }

  private storing(target: ListTarget, requested: RequestedList): ChangeWork {
    return this.changing(target, async (locked, em) => {
      if (locked.key) refuseIfManaged('API key', locked.key, target.actor);
      const entries = requested.draft && toListed(requested.draft, locked.present ?? [], target.actor.name);
      if (isSame(locked.present, entries)) return null;
      refuseEndsInThePast(requested.draft, entries, locked.present ?? []);
      requireAllowed(locked, entries);
      if (locked.key && entries === null) await this.rules.requireNoListNeeded(locked.account, em);
      if (requested.dryRun) requireNoConfirmation(requested.draft, requested.dryRun, locked.present);
      const minutes = requested.undoAfterMinutes;
      const dueAt = minutes === null ? null : new Date(Date.now() + minutes * 60_000);
      return toEdit(ACTIONS[target.owner.kind].changed, locked, { entries, dueAt });
    });
  }

  /** Restores the list from before the last change. That can be undone in the same way. */
  async undo(target: ListTarget): Promise<ChangedList> {
    const { id } = target.owner;
    const undo = isUuid(id) ? await this.undos.find(id, 'allowed_ips') : null;
    const work = undoing(this.undoable(target));
    // What the undo timer is about to do anyway waits for no second person.
    if (!undo?.dueAt) return this.make(target, work, { byUndo: true });
    const { receipt } = await this.changes.make(work);
    return { view: await this.stored.read(target.owner), receipt };
  }

  /** Keeps a change that its undo timer would have reverted. */
  async keep(target: ListTarget): Promise<ChangedList> {
    return this.make(target, keeping(this.undoable(target)), { byKeeping: true });
  }

  /** Reverts the last change of a list if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, owner: ListOwner): Promise<void> {
    const target: ListTarget = { actor, owner, expected: 'any', reason: NOT_SAVED_IN_TIME };
    await this.changes.make(undoingIfDue(this.undoable(target)));
  }

  private undoable(target: ListTarget) {
    return {
      undos: this.undos,
      subjectId: target.owner.id,
      setting: 'allowed_ips' as const,
      changing: (edit: (list: LockedList, em: EntityManager) => Promise<Edit<ListPatch> | null>) =>
        this.changing(target, edit),
      keepAction: ACTIONS[target.owner.kind].kept,
      // Whether that removes a list for good decides whether it waits for a second person.
      auditedValue: ({ present }: LockedList, undo: KeyUndo) => ({
        before: { allowed_ips: entriesBefore(undo)?.map(toAudited) ?? null },
        after: { allowed_ips: present && present.map(toAudited) },
      }),
      restore: (locked: LockedList, undo: KeyUndo) => {
        if (locked.key) refuseIfManaged('API key', locked.key, target.actor);
        const entries = entriesBefore(undo);
        requireAllowed(locked, entries);
        return toEdit(ACTIONS[target.owner.kind].undone, locked, { entries, dueAt: null });
      },
    };
  }

  private async make(target: ListTarget, work: ChangeWork, removal: ListRemoval): Promise<ChangedList> {
    const requested = { ...target, approvable: this.approvable.list_removal, args: () => removal };
    const { receipt } = await this.approvals.make(work, requested);
    return { view: await this.stored.read(target.owner), receipt };
  }

  private changing(
    target: ListTarget,
    edit: (list: LockedList, em: EntityManager) => Promise<Edit<ListPatch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.stored.lock(target, em), edit);
  }
}

const NONE: InputList = { entries: null };

/** A list that was plain JSON meanwhile. */
function withDates({ entries, ...list }: InputList): InputList {
  const dated = entries?.map((entry) => ({ ...entry, endsAt: entry.endsAt && new Date(entry.endsAt) }));
  return { ...list, ...(entries !== undefined && { entries: dated ?? null }) };
}

/** What the audit log calls each change. */
const ACTIONS: Record<ListOwner['kind'], Record<'changed' | 'kept' | 'undone', AuditAction>> = {
  key: {
    changed: 'key.allow_list_changed',
    kept: 'key.allow_list_kept',
    undone: 'key.allow_list_undone',
  },
  account: {
    changed: 'account.allow_list_changed',
    kept: 'account.allow_list_kept',
    undone: 'account.allow_list_undone',
  },
};

/** The edit that stores another list. */
function toEdit(action: AuditAction, { present }: LockedList, patch: ListPatch): Edit<ListPatch> {
  const { entries, dueAt } = patch;
  return {
    patch,
    action,
    before: { allowed_ips: present && present.map(toAudited) },
    after: { allowed_ips: entries && entries.map(toAudited), ...(dueAt && { undo_due_at: dueAt }) },
  };
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

/** What a list may become, by a change and by its undo. */
function requireAllowed(locked: LockedList, entries: ListedEntry[] | null): void {
  if (locked.account.status === 'closed') throw new DomainError('account_closed');
  requireEntitlement(locked, entries);
}

function requireEntitlement({ account, present }: LockedList, requested: ListedEntry[] | null): void {
  if (requested === null || mayPlaceAllowList(account)) return;
  if (present !== null && addsNothing(toStored(requested), toStored(present))) return;
  throw listNotAvailable(
    account,
    present === null ? 'A new IP allow-list' : 'A new entry on an IP allow-list',
    'entries',
  );
}

/** The entries as the rules compare them. A stored list that is corrupt has none. */
function toStored(entries: readonly ListedEntry[]) {
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
