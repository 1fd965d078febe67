import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Many keys that were disabled at once, as they were left, so that this can be undone. */
@Entity('bulk_key_change')
@Index('bulk_key_change_changed_idx', ['changedAt'])
@Index('bulk_key_change_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class BulkKeyChange {
  /** The target of its audit events, too. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { array: true })
  keyIds: string[];

  /** The versions that the change gave the keys, in the order of `keyIds`. */
  @Column('int', { array: true })
  keyVersions: number[];

  @Column('text')
  disableReason: string;

  @Column('text')
  reason: string;

  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;

  /** When it is undone automatically; null when only by hand. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  @Column('timestamptz', { nullable: true })
  undoneAt: Date | null;

  @Column('text', { nullable: true })
  undoneBy: string | null;
}
