import type { BulkAction } from '@app/domain/keys/bulk-edit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A change of many keys, part by part, that can be undone as a whole. Its keys: BulkKeyChangeItem. */
@Entity('bulk_key_change')
@Index('bulk_key_change_changed_idx', ['changedAt'])
@Index('bulk_key_change_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('bulk_key_change_unfinished_idx', ['progressedAt'], { where: 'finished_at IS NULL' })
export class BulkKeyChange {
  /** The target of its audit events, too. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  action: BulkAction;

  /** What it sets, see `BulkEdit`. */
  @Column('jsonb', { nullable: true })
  value: unknown;

  /** What the keys were selected by, for the audit log. */
  @Column('jsonb')
  filter: object;

  /** Who makes it, for the audit events of the parts that another process completes. */
  @Column('jsonb')
  actor: object;

  /** Keys that it is to change. */
  @Column('int')
  total: number;

  /** Keys that it has changed. */
  @Column('int')
  changed: number;

  /** Keys that matched and stay as they are. */
  @Column('int', { name: 'left_alone' })
  skipped: number;

  /** Whether a policy was applied, so that undoing it may give back what the policy does not allow. */
  @Column('boolean', { default: false })
  byPolicy: boolean;

  @Column('text')
  reason: string;

  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;

  /** When its last part was applied. */
  @Column('timestamptz')
  progressedAt: Date;

  /** Null while parts are left. */
  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** When it is undone automatically; null when only by hand. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  @Column('timestamptz', { nullable: true })
  undoneAt: Date | null;

  @Column('text', { nullable: true })
  undoneBy: string | null;
}
