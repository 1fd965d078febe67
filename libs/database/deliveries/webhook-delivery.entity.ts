import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { WebhookEndpoint } from '../webhooks/webhook-endpoint.entity';

export const WEBHOOK_DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** One event on its way to one endpoint. */
@Entity('webhook_delivery')
@Index('webhook_delivery_endpoint_idx', ['endpointId', 'id'])
@Index('webhook_delivery_due_idx', ['dueAt'], { where: `state = 'pending'` })
@Index('webhook_delivery_done_idx', ['createdAt'], { where: `state <> 'pending'` })
export class WebhookDelivery {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column('uuid')
  endpointId: string;

  @ManyToOne(() => WebhookEndpoint, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'endpoint_id', foreignKeyConstraintName: 'webhook_delivery_endpoint_fk' })
  endpoint: Relation<WebhookEndpoint>;

  /** The same for every endpoint that receives it, and for every replay. */
  @Column('uuid')
  eventId: string;

  @Column('text')
  eventType: string;

  /** The bytes that are sent. */
  @Column('text')
  body: string;

  @Column('text', { default: 'pending' })
  state: WebhookDeliveryState;

  /** From here the time counts in which it is tried. */
  @Column('timestamptz', { default: () => 'now()' })
  startedAt: Date;

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
