import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A member of staff at the review desk, and the item they look at. */
@Entity('review_desk_visitor')
export class ReviewDeskVisitor {
  @PrimaryColumn('uuid')
  staffId: string;

  @Column('uuid', { nullable: true })
  itemId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt: Date;
}
