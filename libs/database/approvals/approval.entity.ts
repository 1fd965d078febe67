import type { ApprovalKind, ApprovalStatus } from '@app/domain/approvals/approvals';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A change that a member of staff has requested and that a second one has to approve. */
@Entity('approval')
@Check('approval_status_check', `status IN ('waiting', 'approved', 'declined', 'withdrawn', 'expired')`)
@Index('approval_requested_idx', ['requestedAt', 'id'])
@Index('approval_account_idx', ['accountId', 'requestedAt'])
@Index('approval_waiting_idx', ['kind', 'targetId'], { unique: true, where: `status = 'waiting'` })
@Index('approval_expiry_idx', ['expiresAt'], { where: `status = 'waiting'` })
export class Approval {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  kind: ApprovalKind;

  /** As in the audit log. */
  @Column('text')
  targetType: string;

  @Column('text')
  targetId: string;

  @Column('uuid', { nullable: true })
  accountId: string | null;

  /** The version of the target on which the request is based; null for many targets. */
  @Column('int', { nullable: true })
  targetVersion: number | null;

  /** What the change needs, to be applied later. */
  @Column('jsonb')
  args: unknown;

  /** What the audit log will say: the action, and what it changes. */
  @Column('text')
  action: string;

  @Column('jsonb', { nullable: true })
  before: unknown;

  @Column('jsonb', { nullable: true })
  after: unknown;

  @Column('text')
  reason: string;

  /** The management credential that has requested it; null for a member of staff. */
  @Column('uuid', { nullable: true })
  credentialId: string | null;

  /** Id of the member of staff; of a credential, of its creator. */
  @Column('text')
  requestedBy: string;

  /** Their e-mail address; of a credential, `management` and its name. */
  @Column('text')
  requestedByName: string;

  @Column('text', { nullable: true })
  requestAddress: string | null;

  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('timestamptz')
  requestedAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('text', { default: 'waiting' })
  status: ApprovalStatus;

  /** E-mail address of who has approved, declined or withdrawn it. */
  @Column('text', { nullable: true })
  decidedBy: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  /** Why it was declined. */
  @Column('text', { nullable: true })
  decisionReason: string | null;
}
