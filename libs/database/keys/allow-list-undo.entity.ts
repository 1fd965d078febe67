import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An entry as it was, with times as ISO 8601 text. */
export interface FormerEntry {
  cidr: string;
  note: string | null;
  endsAt: string | null;
  addedBy: string | null;
  addedAt: string | null;
}

/** The list that a key had before its last change, so that this can be undone. */
@Entity('allow_list_undo')
@Index('allow_list_undo_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class AllowListUndo {
  @PrimaryColumn('uuid')
  keyId: string;

  /** Null when the key had no list. */
  @Column('jsonb', { nullable: true })
  before: FormerEntry[] | null;

  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;

  /** When it is reverted automatically; null when only by hand. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;
}
