import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How far an account is on its way between two cells; each of them has a row. It belongs to the cell that says `leaving` or
 * `here`; to the other one as soon as this one says `left`.
 */
@Entity('account_move')
export class AccountMove {
  @PrimaryColumn('uuid')
  accountId: string;

  @Column('text')
  state: 'leaving' | 'left' | 'arriving' | 'here';

  @Column('text')
  ownCell: string;

  /** Where it goes, or where it came from. */
  @Column('text')
  otherCell: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt: Date;
}
