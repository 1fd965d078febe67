import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How safe the enabled keys of an account were at the end of a day, in UTC. */
@Entity('key_safety_day')
@Index('key_safety_day_score_idx', ['day', 'score', 'accountId'])
export class KeySafetyDay {
  @PrimaryColumn('uuid')
  accountId: string;

  @PrimaryColumn('date')
  day: string;

  /** Enabled keys. */
  @Column('int')
  keys: number;

  /** Open findings. */
  @Column('int')
  findings: number;

  /** 0 to 100. */
  @Column('int')
  score: number;
}
