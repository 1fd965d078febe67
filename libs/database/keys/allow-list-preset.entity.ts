import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A preset of allow-lists as a worker has read its file last. */
@Entity('allow_list_preset')
export class StoredPreset {
  @PrimaryColumn('text')
  name: string;

  /** In canonical text. */
  @Column('text', { array: true })
  blocks: string[];

  /** Why the file that is there now is not used; null when it is. */
  @Column('text', { nullable: true })
  problem: string | null;

  /** When the file that the blocks come from was changed; null when it never could be read. */
  @Column('timestamptz', { nullable: true })
  changedAt: Date | null;
}
