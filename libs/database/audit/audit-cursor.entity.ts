import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far the audit log was sent to a collector: one row. */
@Entity('audit_cursor')
export class AuditCursor {
  @PrimaryColumn('text')
  name: string;

  /** The last event that the collector has. */
  @Column('bigint', { default: 0 })
  eventId: string;

  @Column('timestamptz', { nullable: true })
  movedAt: Date | null;

  /** The first failure since the last success. */
  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  @Column('text', { nullable: true })
  lastError: string | null;
}
