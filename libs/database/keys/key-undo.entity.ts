import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The settings of a key whose last change can be undone, by the names of the API. */
export const UNDOABLE_SETTINGS = [
  'allowed_ips',
  'permissions',
  'credit_limit',
  'requests_per_minute',
  'requests_per_second',
  'requests_per_day',
  'expires_at',
] as const;
export type UndoableSetting = (typeof UNDOABLE_SETTINGS)[number];

/** What a setting of a key, or the allow-list of an account, was before its last change, so that this can be undone. */
@Entity('key_undo')
@Index('key_undo_due_idx', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class KeyUndo {
  /** Id of the key, or of the account. */
  @PrimaryColumn('uuid')
  subjectId: string;

  @PrimaryColumn('text')
  setting: UndoableSetting;

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
