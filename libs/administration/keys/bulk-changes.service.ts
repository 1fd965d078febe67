import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ApiKeyFilter } from '@app/database/keys/api-key-filter';
import { EXACT_COUNT_LIMIT } from '@app/database/keys/api-key-search.repository';
import type { BulkKeyChange } from '@app/database/keys/bulk-key-change.entity';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import type { BulkEdit, Skipped } from '@app/domain/keys/bulk-edit';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { approvable, args, type ApprovedRequest, type ApprovedWork } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { isAny, listOf, nullable, number, object, text } from '../approvals/json-shape';
import { AuditedChanges, type Change, type ChangeWork } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { BulkEdits } from './bulk-edits';
import { auditedBefore, auditedValue, AUDIT_ACTIONS } from './bulk-events';

/** Keys of one change: what can be counted. */
const MAX_KEYS = EXACT_COUNT_LIMIT;
/** Keys of one part, which is one transaction: a smaller change is applied at once or not at all. */
const PART = 500;
/** A change of which no part was applied for so long has lost its process. */
const STALLED_MS = 30_000;

/** What a change would do: how many keys it changes, and how many it leaves alone, by cause. */
export interface BulkPlan {
  changes: number;
  skipped: Partial<Record<Skipped, number>>;
}

interface BulkRequest {
  filter: ApiKeyFilter;
  edit: BulkEdit;
  reason: string;
  /** The number of keys that the staff member has read and typed. */
  confirm: string;
  /** When it is undone unless it is kept; null for never. */
  dueAt: Date | null;
}

export interface BulkOutcome {
  changed: number;
  skipped: number;
  /** What can be undone; null when no key was changed. */
  changeId: string | null;
  /** Of the part that spread least. */
  receipt: ChangeReceipt | null;
}

const NOTHING = { result: true, events: [] };

/** A key as it was when a change of many was requested. */
export interface SeenKey {
  id: string;
  version: number;
}

export const SEEN_KEYS = listOf(object({ id: text, version: number }));

/** The change of these keys, as they are. */
interface BulkChangeArgs {
  filter: ApiKeyFilter;
  edit: BulkEdit;
  reason: string;
  keys: SeenKey[];
  leftAlone: number;
  undoAfterMs: number | null;
}

export const BULK_CHANGE = args<BulkChangeArgs>(
  object({
    filter: object({}),
    edit: object({ action: text, value: isAny }),
    reason: text,
    keys: SEEN_KEYS,
    leftAlone: number,
    undoAfterMs: nullable(number),
  }),
);

/**
 * Changes many keys: those that match a filter, in parts of one transaction each. Its progress can be read, an
 * undo in between ends it, and a worker completes what its process could not.
 */
@Injectable()
export class BulkChangesService {
  readonly approvable = {
    bulk_change: approvable('bulk_change', BULK_CHANGE, (approved) => this.beginningLater(approved)),
  };

  constructor(
    private readonly changes: AuditedChanges,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly edits: BulkEdits,
    private readonly approvals: ApprovalsService,
  ) {}

  /** What an edit of every key that matches would do; changes nothing. */
  async plan(filter: ApiKeyFilter, edit: BulkEdit): Promise<BulkPlan> {
    const { ids, skipped } = await this.evaluate(filter, edit);
    return { changes: ids.length, skipped };
  }

  /** Changes every key that matches, if they are still as many as were confirmed; else none. */
  async make(actor: AuditActor, request: BulkRequest): Promise<BulkOutcome> {
    const id = randomUUID();
    const { filter, edit, reason, dueAt } = request;
    const work: ChangeWork<{ isDone: boolean; later: BulkChangeArgs }> = async (em) => {
      const { ids, skipped } = await this.confirmed(request, em);
      const keys = await this.bulkChanges.listVersions(ids, em);
      const undoAfterMs = dueAt && dueAt.getTime() - Date.now();
      const later = { filter, edit, reason, keys, leftAlone: skipped, undoAfterMs };
      const begun = ids.length === 0 ? NOTHING : await this.begin(id, actor, request, { ids, skipped }, em);
      return { ...begun, result: { isDone: begun.result, later } };
    };
    const { result, receipt } = await this.approvals.make(work, {
      approvable: this.approvable.bulk_change,
      actor,
      reason,
      args: ({ result: { later } }) => later,
      countKeys: ({ result: { later } }) => later.keys.length,
    });
    const receipts = [receipt, ...(result.isDone ? [] : await this.complete(id))];
    const created = await this.bulkChanges.find(id);
    const { changed, skipped } = created ?? { changed: 0, skipped: 0 };
    return { changed, skipped, changeId: changed > 0 ? id : null, receipt: leastSpread(receipts) };
  }

  /** Makes the parts that are left of a change, unless it is undone meanwhile. */
  async complete(id: string): Promise<(ChangeReceipt | null)[]> {
    const receipts = [];
    for (let isDone = false; !isDone;) {
      const part = await this.changes.make<boolean>(async (em) => {
        const change = await this.bulkChanges.lock(id, em);
        return !change || change.finishedAt ? NOTHING : this.makePart(change, em);
      });
      isDone = part.result;
      receipts.push(part.receipt);
    }
    return receipts;
  }

  /** Ids of changes whose process is gone before they were complete. */
  async listStalled(limit: number): Promise<string[]> {
    return this.bulkChanges.listStalled(new Date(Date.now() - STALLED_MS), limit);
  }

  /** The keys of a request, if they are still as many as were confirmed. */
  private async confirmed(
    { filter, edit, confirm }: BulkRequest,
    em: EntityManager,
  ): Promise<{ ids: string[]; skipped: number }> {
    const { ids, skipped } = await this.evaluate(filter, edit, em);
    if (String(ids.length) !== confirm.trim()) throw selectionChanged(ids.length, confirm.trim());
    return { ids, skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0) };
  }

  /** What a second person has approved, if every key is still as it was. */
  private beginningLater({
    actor,
    args: { keys, leftAlone: skipped, undoAfterMs, ...request },
  }: ApprovedRequest<BulkChangeArgs>): ApprovedWork {
    const id = randomUUID();
    const work: ChangeWork = async (em) => {
      const ids = keys.map((key) => key.id);
      const now = new Map((await this.bulkChanges.listVersions(ids, em)).map((key) => [key.id, key.version]));
      const unchanged = keys.filter((key) => now.get(key.id) === key.version);
      if (unchanged.length < keys.length) throw selectionChanged(unchanged.length, String(keys.length));
      const dueAt = undoAfterMs === null ? null : new Date(Date.now() + undoAfterMs);
      return {
        ...(await this.begin(id, actor, { ...request, dueAt }, { ids, skipped }, em)),
        result: undefined,
      };
    };
    return { work, afterwards: () => this.complete(id) };
  }

  /** Stores a change and makes its first part. */
  private async begin(
    id: string,
    actor: AuditActor,
    { filter, edit, reason, dueAt }: Omit<BulkRequest, 'confirm'>,
    { ids, skipped }: { ids: string[]; skipped: number },
    em: EntityManager,
  ): Promise<Change<boolean>> {
    const now = new Date();
    const change: BulkKeyChange = {
      id,
      action: edit.action,
      value: edit.value,
      filter,
      actor,
      total: ids.length,
      changed: 0,
      skipped,
      reason,
      changedBy: actor.name,
      changedAt: now,
      progressedAt: now,
      finishedAt: null,
      dueAt,
      undoneAt: null,
      undoneBy: null,
      byPolicy: false,
    };
    await this.bulkChanges.insert(change, ids, em);
    return this.makePart(change, em);
  }

  /** Makes the next part of a locked change; the result is whether it was the last. */
  private async makePart(change: BulkKeyChange, em: EntityManager): Promise<Change<boolean>> {
    const edit = editOf(change);
    const actor = change.actor as AuditActor;
    const keys = await this.bulkChanges.lockNext(change, PART, em);
    const requested = keys.filter((key) => key.because === null);
    const versions = new Map(
      (await this.edits.apply(edit, requested, actor.name, em)).map(({ id, version }) => [id, version]),
    );
    const changed = requested.map(({ id, before }) => ({ id, before, version: versions.get(id)! }));
    const skipped = keys.filter((key) => key.because !== null).map(({ id }) => id);
    const isDone = await this.bulkChanges.recordPart(change.id, { changed, skipped }, em);
    const keyIds = changed.map(({ id }) => id);
    const { id, filter, reason, dueAt } = change;
    const { accountId } = filter as ApiKeyFilter;
    const events = toBatchEvents(
      keyIds,
      {
        actor,
        action: AUDIT_ACTIONS[edit.action].done,
        target: { type: 'api_keys', id, ...(accountId && { accountId }) },
        before: auditedBefore(edit.action, changed),
        after: { ...auditedValue(edit), filter, ...(dueAt && { undo_due_at: dueAt }) },
        reason,
      },
      'key_ids',
    );
    return { result: isDone, events, ...(keyIds.length > 0 && { announce: { keyIds } }) };
  }

  private async evaluate(
    filter: ApiKeyFilter,
    edit: BulkEdit,
    em?: EntityManager,
  ): Promise<{ ids: string[]; skipped: BulkPlan['skipped'] }> {
    const ids: string[] = [];
    const skipped: BulkPlan['skipped'] = {};
    const matching = await this.bulkChanges.listMatching(filter, edit, MAX_KEYS + 1, em);
    if (matching.length > MAX_KEYS) throw tooMany();
    for (const { id, because } of matching) {
      if (because === null) ids.push(id);
      else skipped[because] = (skipped[because] ?? 0) + 1;
    }
    return { ids, skipped };
  }
}

/** What a stored change does. */
export function editOf({ action, value }: BulkKeyChange): BulkEdit {
  return { action, value } as BulkEdit;
}

function leastSpread(receipts: (ChangeReceipt | null)[]): ChangeReceipt | null {
  const missing = ({ processes, acknowledged }: ChangeReceipt) => processes - acknowledged;
  return (
    receipts
      .filter((receipt) => receipt !== null)
      .toSorted((a, b) => missing(b) - missing(a) || b.ms - a.ms)
      .at(0) ?? null
  );
}

function selectionChanged(count: number, confirmed: string): DomainError {
  return new DomainError('selection_changed', { count, confirmed }, { param: 'confirm' });
}

function tooMany(): DomainError {
  const reason = `More than ${MAX_KEYS} keys match; no more can be changed at once. Narrow the filter.`;
  return new DomainError('invalid_parameters', { reason });
}
