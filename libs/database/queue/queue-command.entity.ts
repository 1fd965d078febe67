import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What staff have ordered of a queue. Workers see to it that the backend of the queue is as ordered, even after it has lost it. */
@Entity('queue_order')
export class QueueCommand {
  @PrimaryColumn('text')
  queue: string;

  /** Null until staff have paused or resumed it for the first time. */
  @Column('boolean', { nullable: true })
  isPaused: boolean | null;

  @Column('text', { nullable: true })
  orderedBy: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  orderedAt: Date;
}
