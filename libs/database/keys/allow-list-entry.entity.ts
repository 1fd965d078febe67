import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is known of one entry of an allow-list beyond its text. */
@Entity('allow_list_entry')
export class AllowListEntry {
  /** Id of the key whose list it is, or of the account whose list it is. */
  @PrimaryColumn('uuid')
  keyId: string;

  @PrimaryColumn('text')
  cidr: string;

  @Column('text', { nullable: true })
  note: string | null;

  /** From then on it matches nothing. */
  @Column('timestamptz', { nullable: true })
  endsAt: Date | null;

  /** Name of the member of staff, key or process that has put it on the list. */
  @Column('text')
  addedBy: string;

  @Column('timestamptz')
  addedAt: Date;
}
