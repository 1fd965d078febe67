import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

export type ActorKind = 'staff' | 'customer' | 'system' | 'management';

/** One line of the audit log. Append-only: a trigger refuses every change. */
@Entity('audit_event')
@Index('audit_event_chain_idx', ['day', 'seq'], { unique: true })
@Index('audit_event_actor_idx', ['actorId', 'id'])
@Index('audit_event_target_idx', ['targetId', 'id'])
@Index('audit_event_account_idx', ['accountId', 'id'])
@Index('audit_event_action_idx', ['action', 'id'])
@Index('audit_event_at_idx', ['at'])
@Index('audit_event_request_idx', ['requestId'], { where: 'request_id IS NOT NULL' })
export class AuditEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  /** Day of the chain, `YYYY-MM-DD` in UTC. */
  @Column('date')
  day: string;

  /** Position within the day, from 1. */
  @Column('int')
  seq: number;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  actorKind: ActorKind;

  /** Id of the member of staff, of the key, or the name of the process. */
  @Column('text')
  actorId: string;

  @Column('text')
  actorName: string;

  @Column('text', { nullable: true })
  actorRole: string | null;

  /** What was done, as `resource.verb`. */
  @Column('text')
  action: string;

  @Column('text')
  targetType: string;

  @Column('text')
  targetId: string;

  /** The customer it concerns, if any. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('jsonb', { nullable: true })
  before: unknown;

  @Column('jsonb', { nullable: true })
  after: unknown;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('text', { nullable: true })
  requestId: string | null;

  /** See `libs/domain/audit/audit-chain.ts`. */
  @Column('text')
  hash: string;

  /** Which key `hash` was computed with; null for events from before keys had ids. */
  @Column('text', { nullable: true })
  keyId: string | null;
}
