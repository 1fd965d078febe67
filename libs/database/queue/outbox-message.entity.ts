import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A job that must be added to its queue, committed with the change that needs it. The relay delivers and deletes it. */
@Entity('outbox')
@Index('outbox_available_idx', ['availableAt'])
@Index('outbox_due_idx', ['availableAt'], { where: 'account_id IS NULL' })
@Index('outbox_voice_idx', ['voiceId'])
@Index('outbox_turn_idx', ['accountId', 'isBulk', 'availableAt'], { where: 'account_id IS NOT NULL' })
export class OutboxMessage {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  /** Name of the job in `libs/queue/jobs.ts`. */
  @Column('text')
  job: string;

  @Column('jsonb')
  payload: object;

  /** The voice it is about, if any. */
  @Column('text', { nullable: true })
  voiceId: string | null;

  /** The account in whose turn it is delivered; null for a message that is delivered when it is due. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  /** One of many with low priority: after all others. */
  @Column('boolean', { default: false })
  isBulk: boolean;

  /** When it may be delivered: later after each failure. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  /** When it was to be delivered at first. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt: Date;

  /** The relay that is delivering it; free again when the lease has run out. */
  @Column('uuid', { nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  @Column('int', { default: 0 })
  attempts: number;

  @Column('text', { nullable: true })
  lastError: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
