import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `held`: no further review of the account enters the queue. `behind`: its reviews come after those of all others. */
export const HOLD_KINDS = ['held', 'behind'] as const;

export type HoldKind = (typeof HOLD_KINDS)[number];

/** What staff have decided about the reviews of an account. It ends automatically. */
@Entity('review_hold')
export class ReviewHold {
  @PrimaryColumn('uuid')
  accountId: string;

  @Column('text')
  kind: HoldKind;

  @Column('text')
  reason: string;

  @Column('text')
  setBy: string;

  @Column('timestamptz', { default: () => 'now()' })
  setAt: Date;

  @Column('timestamptz')
  endsAt: Date;
}
