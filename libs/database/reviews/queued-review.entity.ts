import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A review whose job a relay has enqueued. Its row outlives the review by one round of a relay. */
@Entity('queued_review')
export class QueuedReview {
  @PrimaryColumn('text')
  voiceId: string;

  @Column('int')
  generation: number;

  /** The turn of the generation whose job it is. */
  @Column('int', { default: 0 })
  turn: number;

  @Column('uuid')
  accountId: string;

  /** It has low priority. */
  @Column('boolean')
  isLast: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  queuedAt: Date;
}

/**
 * Whether a message `o` of the outbox waits: the queue has other reviews of its account, or with low priority of any,
 * or staff have said so.
 */
export const WAITS_FOR_ITS_TURN = `(o.account_id IS NOT NULL AND o.lease_until IS NULL AND o.last_error IS NULL
  AND (EXISTS (SELECT FROM review_hold h WHERE h.account_id = o.account_id AND h.ends_at > now())
    OR EXISTS (SELECT FROM queued_review q JOIN voice v ON v.id = q.voice_id AND v.review_generation = q.generation
    WHERE (q.account_id = o.account_id OR o.is_bulk) AND v.review_state IN ('queued', 'running', 'retry_wait'))))`;
