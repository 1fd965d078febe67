import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What staff order of a timer. A pause ends automatically. */
@Entity('timer_order')
export class TimerCommand {
  @PrimaryColumn('text')
  name: string;

  @Column('timestamptz', { nullable: true })
  pausedUntil: Date | null;

  @Column('text', { nullable: true })
  pausedBy: string | null;

  @Column('text', { nullable: true })
  pauseReason: string | null;

  /** Until a worker begins the run. */
  @Column('timestamptz', { nullable: true })
  runRequestedAt: Date | null;
}
