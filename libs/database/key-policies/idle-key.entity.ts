import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that people were warned about, because it is not used. */
@Entity('idle_key')
export class IdleKey {
  @PrimaryColumn('uuid')
  keyId: string;

  /** Its last request, or its making, when people were warned. */
  @Column('timestamptz')
  idleSince: Date;

  @Column('timestamptz', { nullable: true })
  warnedAt: Date | null;

  /** What people were notified of; null when they were only warned. */
  @Column('timestamptz', { nullable: true })
  disablesAt: Date | null;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** When it was enabled again after it was disabled: idle time counts from then. */
  @Column('timestamptz', { nullable: true })
  countedFrom: Date | null;
}
