import type { UndoneField } from '@app/domain/keys/key-fields';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a setting of a key, or the allow-list of an account, was before its last change, so that this can be undone. */
@Entity('key_undo')
@Index('key_undo_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class KeyUndo {
  /** Id of the key, or of the account. */
  @PrimaryColumn('uuid')
  subjectId: string;

  @PrimaryColumn('text')
  setting: UndoneField;

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
