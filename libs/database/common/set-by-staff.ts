import { Column } from 'typeorm';

/** A row that a member of staff has set, and why. */
export abstract class SetByStaff {
  @Column('text')
  reason: string;

  @Column('text')
  setBy: string;

  @Column('timestamptz', { default: () => 'now()' })
  setAt: Date;
}
