import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { WebhookDelivery } from './webhook-delivery.entity';

/** One request of a delivery and what became of it. */
@Entity('webhook_attempt')
@Index('webhook_attempt_delivery_idx', ['deliveryId', 'id'])
@Index('webhook_attempt_at_idx', ['at'])
export class WebhookAttempt {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column('bigint')
  deliveryId: string;

  @ManyToOne(() => WebhookDelivery, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'delivery_id', foreignKeyConstraintName: 'webhook_attempt_delivery_fk' })
  delivery: Relation<WebhookDelivery>;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  /** Status of the response; null when there was none. */
  @Column('int', { nullable: true })
  status: number | null;

  @Column('int')
  ms: number;

  /** Why it failed; null when it was accepted. */
  @Column('text', { nullable: true })
  error: string | null;

  /** The beginning of the response's body. */
  @Column('text', { nullable: true })
  answer: string | null;
}
