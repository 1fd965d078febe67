import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker, as of its last heartbeat. */
@Entity('worker_process')
export class WorkerProcess {
  @PrimaryColumn('uuid')
  id: string;

  /** How it signs what it does to a review. */
  @Column('text')
  name: string;

  @Column('int')
  concurrency: number;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt: Date;

  /** Jobs that it saw waiting. */
  @Column('int', { default: 0 })
  waiting: number;

  /** How long jobs have been waiting without this worker starting one, ms. */
  @Column('int', { default: 0 })
  idleMs: number;

  @Column('boolean', { default: false })
  isStuck: boolean;

  /** Since when it takes nothing new, because staff say so; null when it does. */
  @Column('timestamptz', { nullable: true })
  quietSince: Date | null;

  @Column('text', { nullable: true })
  quietBy: string | null;

  @Column('text', { nullable: true })
  quietReason: string | null;
}
