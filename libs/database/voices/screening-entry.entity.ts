import type { ScreeningList } from '@app/domain/voices/screening';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Something that names, descriptions or texts of voices must not have. */
@Entity('screening_entry')
@Index('screening_entry_text_idx', { synchronize: false })
export class ScreeningEntryRow {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  list: ScreeningList;

  @Column('text')
  text: string;

  /** The account that may use a protected name. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('text')
  addedBy: string;

  @CreateDateColumn({ type: 'timestamptz' })
  addedAt: Date;
}
