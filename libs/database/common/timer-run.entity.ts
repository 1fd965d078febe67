import type { Counts } from '@app/domain/common/timers';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How a timer fares in one worker, as the worker last reported. */
@Entity('timer_run')
export class TimerRun {
  @PrimaryColumn('text')
  name: string;

  @PrimaryColumn('uuid')
  workerId: string;

  /** How the worker signs what it does. */
  @Column('text')
  worker: string;

  /** From the end of a run to the beginning of the next. */
  @Column('int')
  everyMs: number;

  /** Since the worker started. */
  @Column('bigint')
  runs: string;

  @Column('bigint')
  failures: string;

  @Column('timestamptz')
  beganAt: Date;

  /** Null while it runs. */
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('real', { nullable: true })
  tookMs: number | null;

  /** What it did when it last did something, since the report before. */
  @Column('jsonb', { nullable: true })
  did: Counts | null;

  @Column('timestamptz', { nullable: true })
  didAt: Date | null;

  /** Why its last run failed; null when it did not. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  failedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  notedAt: Date;
}
