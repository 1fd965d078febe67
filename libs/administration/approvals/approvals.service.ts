import { DAY_MS } from '@app/domain/common/utc-days';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { plural } from '@app/domain/common/sentences';
import { AppConfig } from '@app/config/app-config';
import type { Approval } from '@app/database/approvals/approval.entity';
import { ApprovalRepository, type ListedApproval } from '@app/database/approvals/approval.repository';
import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { approvalKind, needsSecondPerson, type ApprovalKind } from '@app/domain/approvals/approvals';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError, type ErrorCode } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { endOfManagement, mayManage } from '@app/domain/staff/management-grants';
import { mayStaff, STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { byManagement, bySystem, byStaff, type AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type Change, type Changed, type ChangeWork } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';
import { readArgs, type Approvable, type ApprovedWork } from './approvable';

/** The target of events about many keys at once. */
const MANY_KEYS = 'api_keys';

/** A change that may need a second person, as it is requested. */
export interface RequestedChange<T, A = unknown> {
  approvable: Approvable<ApprovalKind, A>;
  actor: AuditActor;
  reason: string | null;
  /** What making it later needs, as plain JSON; read from what the change would have done. */
  args: (change: Change<T>) => A;
  /** How many keys it changes, when its events do not name all of them. */
  countKeys?: (change: Change<T>) => number;
}

/** Thrown in place of a result: nothing has changed, and the request waits for a second person. */
export class ChangeWaits extends Error {
  constructor(readonly approval: ListedApproval) {
    super('The change waits for a second person.');
  }
}

/** Ends the transaction of a change that has to wait. */
class NotYet extends Error {
  constructor(readonly change: Change<unknown>) {
    super('Rolled back.');
  }
}

/** Every change that may wait, by its kind. */
export type ApprovableChanges = { [K in ApprovalKind]: Approvable<K> };

/**
 * Changes that wait for a second person. A request is the change itself, applied and rolled back: everything that would refuse
 * it refuses it at once, and what it would have written to the audit log is what the second person reads.
 */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly approvals: ApprovalRepository,
    private readonly staff: StaffRepository,
    private readonly credentials: ManagementCredentialRepository,
    private readonly config: AppConfig,
  ) {}

  /**
   * Makes a change, or has it wait. Only members of staff, and programs in their place, need a second one: the command line,
   * files of keys and processes of ours do not.
   *
   * @throws ChangeWaits when it waits
   */
  async make<T, A>(work: ChangeWork<T>, requested: RequestedChange<T, A>): Promise<Changed<T>> {
    const { actor, approvable } = requested;
    const needed = (change: Change<T>) =>
      (actor.kind === 'staff' || actor.kind === 'management') &&
      needsSecondPerson(
        approvable.kind,
        this.config.approvals,
        change.events,
        requested.countKeys?.(change) ?? 0,
      );
    try {
      return await this.changes.make(async (em) => {
        const change = await work(em);
        if (needed(change)) throw new NotYet(change);
        return change;
      });
    } catch (error) {
      if (!(error instanceof NotYet)) throw error;
      throw new ChangeWaits(await this.store(requested, error.change as Change<T>));
    }
  }

  /** Has a change wait for who may make it, whatever is set. */
  async request<T, A>(work: ChangeWork<T>, requested: RequestedChange<T, A>): Promise<ListedApproval> {
    const rollBack = async (em: EntityManager) => {
      throw new NotYet(await work(em));
    };
    const error: unknown = await this.changes.make(rollBack).catch((thrown: unknown) => thrown);
    if (!(error instanceof NotYet)) throw error;
    return this.store(requested, error.change as Change<T>);
  }

  /** What is in force, and how many days a request waits. */
  get policy() {
    return { policy: this.config.approvals, days: this.config.approvalDays };
  }

  async get(id: string, em?: EntityManager): Promise<ListedApproval> {
    const approval = isUuid(id) ? await this.approvals.find(id, em) : null;
    if (!approval) throw notFound(id);
    return approval;
  }

  /** Makes the change, in one transaction with the end of its request: of two who approve it at once, one is refused. */
  async approve(staff: Staff, id: string, changes: ApprovableChanges): Promise<Changed<ListedApproval>> {
    let afterwards: ApprovedWork['afterwards'];
    const changed = await this.changes.make(async (em) => {
      const approval = await this.lockWaiting(id, em);
      requireDecider(staff, approval);
      const requester = await this.requireRequester(approval, em);
      const approvedWork = workOf(changes[approval.kind], approval, requester);
      ({ afterwards } = approvedWork);
      const created = await approvedWork.work(em).catch(asStale(approval));
      await this.approvals.end(id, { status: 'approved', decidedBy: staff.email }, em);
      const approved = created.events.map((event) => ({
        ...event,
        after: { ...event.after, approved_by: staff.email },
      }));
      const events = [...approved, eventOf('approval.given', byStaff(staff), approval)];
      return { ...created, events, result: await this.get(id, em) };
    });
    await afterwards?.();
    return changed;
  }

  async decline(staff: Staff, id: string, reason: string): Promise<ListedApproval> {
    return this.end(
      id,
      byStaff(staff),
      { status: 'declined', action: 'approval.declined', reason },
      (approval) => requireDecider(staff, approval),
    );
  }

  async withdraw(staff: Staff, id: string): Promise<ListedApproval> {
    return this.end(id, byStaff(staff), { status: 'withdrawn', action: 'approval.withdrawn' }, (approval) => {
      const { requestedBy, requestedByName } = approval;
      if (requestedBy !== staff.id)
        throw new DomainError('not_own_approval', { requestedBy: requestedByName });
    });
  }

  /** Ends requests whose time is over. */
  async expireDue(limit: number): Promise<number> {
    const due = await this.approvals.listDue(limit);
    const actor = bySystem('approval-expiry');
    for (const id of due) {
      await this.changes.make(async (em) => {
        const approval = await this.approvals.lock(id, em);
        if (approval?.status !== 'waiting') return { result: undefined, events: [] };
        await this.approvals.end(id, { status: 'expired', decidedBy: actor.name }, em);
        return { result: undefined, events: [eventOf('approval.expired', actor, approval)] };
      });
    }
    return due.length;
  }

  private async end(
    id: string,
    actor: AuditActor,
    { status, action, reason }: { status: 'declined' | 'withdrawn'; action: AuditAction; reason?: string },
    check: (approval: Approval) => void,
  ): Promise<ListedApproval> {
    const { result } = await this.changes.make(async (em) => {
      const approval = await this.lockWaiting(id, em);
      check(approval);
      await this.approvals.end(id, { status, decidedBy: actor.name, decisionReason: reason }, em);
      return { result: await this.get(id, em), events: [{ ...eventOf(action, actor, approval), reason }] };
    });
    return result;
  }

  private async store<T, A>(
    { approvable, actor, reason, args, countKeys }: RequestedChange<T, A>,
    change: Change<T>,
  ): Promise<ListedApproval> {
    const [event] = change.events;
    if (!event) throw new Error('A change without events needs no second person.');
    const requestedAt = new Date();
    const approval: Approval = {
      id: randomUUID(),
      kind: approvable.kind,
      targetType: event.target.type,
      targetId: event.target.id,
      accountId: event.target.accountId ?? null,
      targetVersion: change.version ?? null,
      args: args(change),
      ...shown(event, countKeys?.(change)),
      reason: reason ?? '',
      // Who has created a credential knows its secret, and approves no request of it.
      requestedBy: actor.creatorId ?? actor.id,
      credentialId: actor.creatorId === undefined ? null : actor.id,
      requestedByName: actor.name,
      requestAddress: actor.address,
      requestId: actor.requestId,
      requestedAt,
      expiresAt: new Date(requestedAt.getTime() + this.config.approvalDays * DAY_MS),
      status: 'waiting',
      decidedBy: null,
      decidedAt: null,
      decisionReason: null,
    };
    const { result } = await this.changes.make(async (em) => {
      await this.approvals.endOverdue(approval, em);
      if (!(await this.approvals.insert(approval, em))) throw await this.alreadyWaiting(approval, em);
      const events = [{ ...eventOf('approval.requested', actor, approval), reason }];
      return { result: await this.get(approval.id, em), events };
    });
    return result;
  }

  private async alreadyWaiting({ kind, targetId }: Approval, em: EntityManager): Promise<DomainError> {
    const waiting = await this.approvals.findWaiting(kind, targetId, em);
    return new DomainError('approval_waiting', {
      requestedBy: waiting?.requestedByName ?? 'another member of staff',
      requestedAt: waiting?.requestedAt.toISOString() ?? 'the same time',
    });
  }

  private async lockWaiting(id: string, em: EntityManager): Promise<Approval> {
    const approval = isUuid(id) ? await this.approvals.lock(id, em) : null;
    if (!approval) throw notFound(id);
    const { decidedBy } = approval;
    const status = isOverdue(approval) ? 'expired' : approval.status;
    if (status === 'waiting') return approval;
    throw new DomainError('approval_ended', {
      status,
      by: decidedBy && status !== 'expired' ? ` by ${decidedBy}` : '',
    });
  }

  /** As what they are now: a member who was disabled, or has another role, requests nothing, nor does a credential that has ended. */
  private async requireRequester(approval: Approval, em: EntityManager): Promise<AuditActor> {
    const { kind, credentialId, requestedBy, requestedByName, requestAddress: address, requestId } = approval;
    const { permission: decider, requestPermission: permission = decider } = approvalKind(kind);
    const gone = () =>
      new DomainError('approval_requester_gone', { requestedBy: requestedByName, permission });
    if (credentialId !== null) {
      const credential = await this.credentials.findVerifiable(credentialId, {}, em);
      const hasEnded = !credential || endOfManagement(credential, Date.now()) !== null;
      if (hasEnded || !mayManage(credential, permission)) throw gone();
      return byManagement(credential, { address, requestId });
    }
    const member = await this.staff.find(requestedBy, em);
    if (!member || member.disabledAt || !mayStaff(member.role, permission)) throw gone();
    return { kind: 'staff', id: member.id, name: member.email, role: member.role, address, requestId };
  }
}

function workOf(
  approvable: Approvable,
  { targetType, targetId, targetVersion, reason, args: stored }: Approval,
  actor: AuditActor,
): ApprovedWork {
  const expected = targetVersion === null ? ('any' as const) : [targetVersion];
  const args = readArgs(approvable, stored);
  return approvable.apply({ actor, reason, expected, targetType, targetId, args });
}

function isOverdue({ status, expiresAt }: Approval): boolean {
  return status === 'waiting' && expiresAt <= new Date();
}

function requireDecider({ id, role }: Staff, { kind, requestedBy }: Approval): void {
  if (requestedBy === id) throw new DomainError('own_approval');
  const { permission } = approvalKind(kind);
  if (mayStaff(role, permission)) return;
  const roles = STAFF_ROLES.filter((other) => mayStaff(other, permission)).join(', ');
  throw new DomainError('staff_permission_missing', { role, permission, roles });
}

/** What says that the target is not as it was when the change was requested. */
const STALE = new Set<ErrorCode>([
  'precondition_failed',
  'selection_changed',
  'api_key_not_found',
  'key_policy_not_found',
  'key_policy_changed',
  'account_closed',
  'end_passed',
]);

function asStale({ targetType, requestedByName: requestedBy }: Approval) {
  return (error: unknown): never => {
    if (!(error instanceof DomainError) || !STALE.has(error.code)) throw error;
    const resource = RESOURCES[targetType] ?? 'This';
    throw new DomainError('approval_stale', { resource, requestedBy, reason: error.message });
  };
}

const RESOURCES: Record<string, string> = {
  account: 'The account',
  api_key: 'The key',
  api_keys: 'One of the keys',
  tier: 'The tier',
};

/** What the second person reads. The ids of many keys, and what each of them was, are not among it. */
function shown(
  { action, target, before, after }: AuditEntry,
  keys?: number,
): Pick<Approval, 'action' | 'before' | 'after'> {
  if (keys === undefined) return { action, before: before ?? null, after: after ?? null };
  const isOfKeys = target.type === MANY_KEYS;
  return {
    action,
    before: isOfKeys ? null : (before ?? null),
    after: { ...after, key_ids: undefined, keys },
  };
}

/** An event about a request, at what the request is about. */
function eventOf(action: AuditAction, actor: AuditActor, approval: Approval): AuditEntry {
  const { id, kind, targetType: type, targetId, accountId, requestedByName } = approval;
  return {
    actor,
    action,
    target: { type, id: targetId, ...(accountId !== null && { accountId }) },
    after: {
      approval_id: id,
      change: kind,
      ...nameOf(approval),
      requested_by: requestedByName,
      ...(action === 'approval.requested' && {
        requested: { action: approval.action, before: approval.before, after: approval.after },
      }),
    },
  };
}

/** Many keys have no name. */
function nameOf({ targetType, after }: Approval): { name?: string } {
  const { keys } = (after ?? {}) as { keys?: number };
  return targetType === MANY_KEYS && keys !== undefined ? { name: plural(keys, 'key') } : {};
}

function notFound(approvalId: string): DomainError {
  return new DomainError('approval_not_found', { approvalId: approvalId.slice(0, 100) });
}
