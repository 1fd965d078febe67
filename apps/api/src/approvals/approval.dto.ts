import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ApprovalFilter, ListedApproval } from '@app/database/approvals/approval.repository';
import {
  approvalKind,
  APPROVAL_STATUSES,
  type ApprovalPolicy,
  type ApprovalStatus,
} from '@app/domain/approvals/approvals';
import { isUuid } from '@app/domain/common/uuid';
import type { Staff } from '@app/domain/staff/staff';
import { mayStaff } from '@app/domain/staff/staff-permissions';
import { choose } from '../http/choose';
import { EnumField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { invalid } from '../http/wire-problem';

const MAYBE = { optional: true };
const REQUESTERS = ['me', 'others'] as const;

export class ApprovalQuery extends PageQuery {
  @EnumField(APPROVAL_STATUSES, MAYBE)
  status?: ApprovalStatus;

  @StringField({ optional: true, max: 36 })
  account_id?: string;

  /** Id of what would change. */
  @StringField({ optional: true, max: 36 })
  target?: string;

  /** Whether the caller has requested them. */
  @EnumField(REQUESTERS, MAYBE)
  requested_by?: (typeof REQUESTERS)[number];
}

export function toApprovalFilter(query: ApprovalQuery, staff: Staff): ApprovalFilter {
  const { status, account_id: accountId, target: targetId, requested_by: by } = query;
  if (accountId !== undefined && !isUuid(accountId)) {
    const accepted = 'the id of an account';
    const msg = `Input should be ${accepted}`;
    const problem = { type: 'uuid_parsing', path: ['account_id'], msg, input: accountId, ctx: { accepted } };
    throw invalid('query', problem);
  }
  return {
    status,
    accountId,
    withinCredential: staff.boundBy,
    targetId,
    requestedBy: by === 'me' ? staff.id : undefined,
    notRequestedBy: by === 'others' ? staff.id : undefined,
  };
}

export interface ApprovalPolicyResponse extends ReturnType<typeof toApprovalPolicyResponse> {}

/** What is set for the whole installation, in its environment. */
export function toApprovalPolicyResponse({ policy, days }: { policy: ApprovalPolicy; days: number }) {
  return { ...choose(policy, 'entitlements', 'creditsAbove', 'listRemoval', 'bulkChangeAbove'), days };
}

/** What a route responds, with 202, whose change waits for a second person. */
export interface WaitingChangeResponse {
  approval: ApprovalResponse;
}

export interface ApprovedChangeResponse extends ApprovalResponse {
  receipt: ChangeReceipt | null;
}

/** A change that waits for a second person, or has waited. */
export interface ApprovalResponse extends ReturnType<typeof toApprovalResponse> {}

export function toApprovalResponse(approval: ListedApproval, staff: Staff) {
  const { accountId, accountName, targetType: type, targetId, status } = approval;
  const isOwn = [approval.requestedBy, approval.credentialId].includes(staff.id);
  const isWaiting = status === 'waiting';
  return {
    ...choose(approval, 'id', 'kind'),
    /** As in the audit log; the name of today, null where there is none. */
    target: { type, id: targetId, name: type === 'account' ? accountName : approval.keyName },
    account: accountId === null ? null : { id: accountId, name: accountName },
    /** What the audit log will say when it is approved. */
    action: approval.action,
    ...choose(approval, 'before', 'after', 'reason'),
    requested_by: approval.requestedByName,
    ...choose(approval, 'requestedAt', 'expiresAt'),
    status,
    /** Who has approved, declined or withdrawn it. */
    decided_by: approval.decidedBy,
    ...choose(approval, 'decidedAt', 'decisionReason'),
    /** Whether the caller has requested it. */
    is_own: isOwn,
    /** Whether the caller may approve or decline it. */
    may_decide:
      isWaiting &&
      !isOwn &&
      staff.creatorId === undefined &&
      mayStaff(staff.role, approvalKind(approval.kind).permission),
    /** Whether its target has changed since: then it cannot be approved any more. */
    is_stale: isWaiting && approval.isStale,
  };
}
