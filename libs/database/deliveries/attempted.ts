import { Column } from 'typeorm';

/** What is sent to a recipient, attempt after attempt. */
export abstract class Attempted {
  /** Counts the jobs that were enqueued: only the last one may send. */
  @Column('int', { default: 1 })
  dispatch: number;

  @Column('int', { default: 0 })
  attempts: number;

  /** When the next attempt is due, or when it was last seen under way. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt: Date;

  @Column('timestamptz', { nullable: true })
  deliveredAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
