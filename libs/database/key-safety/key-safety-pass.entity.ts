import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far the workers are with looking at every key, and then at every account. There is one row. */
@Entity('key_safety_pass')
export class KeySafetyPass {
  @PrimaryColumn('int')
  id: number;

  @Column('timestamptz')
  beganAt: Date;

  @Column('text')
  stage: 'keys' | 'accounts' | 'done';

  /** The last key or account that is done. */
  @Column('uuid', { nullable: true })
  after: string | null;

  /** When a whole pass was last finished. */
  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
