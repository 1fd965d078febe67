import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SetByStaff } from '../common/set-by-staff';

/** `held`: no further review of the account enters the queue. `behind`: its reviews come after those of all others. */
export const HOLD_KINDS = ['held', 'behind'] as const;

export type HoldKind = (typeof HOLD_KINDS)[number];

/** What staff have decided about the reviews of an account. It ends automatically. */
@Entity('review_hold')
export class ReviewHold extends SetByStaff {
  @PrimaryColumn('uuid')
  accountId: string;

  @Column('text')
  kind: HoldKind;

  @Column('timestamptz')
  endsAt: Date;
}
