import type { UndoneSetting } from '@app/domain/audit/undone-settings';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a setting of a key, an account or a budget was before its last change, so that this can be undone. */
@Entity('key_undo')
@Index('key_undo_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class KeyUndo {
  /** Id of the key, the account or the budget. */
  @PrimaryColumn('uuid')
  subjectId: string;

  @PrimaryColumn('text')
  setting: UndoneSetting;

  /** The value, times as ISO 8601 text; of an allow-list, its entries. Null as the setting has it: for no list, or no limit. */
  @Column('jsonb', { nullable: true })
  before: unknown;

  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;

  /** When it is reverted automatically; null when only by hand. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;
}
