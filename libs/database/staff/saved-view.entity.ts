import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { StaffMember } from './staff-member.entity';

/** A list as a member of staff wants to see it again: its filters and its order. */
@Entity('saved_view')
@Index('saved_view_name_idx', ['staffId', 'screen', 'name'], { unique: true })
export class SavedView {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  staffId: string;

  @ManyToOne(() => StaffMember, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'staff_id', foreignKeyConstraintName: 'saved_view_staff_id_fkey' })
  staff?: StaffMember;

  @Column('text')
  screen: string;

  @Column('text')
  name: string;

  /** As in the address of the screen. */
  @Column('text')
  query: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
