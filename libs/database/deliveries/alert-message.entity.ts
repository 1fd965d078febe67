import type { AlertChannel } from '@app/domain/alerts/alert-rule';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Attempted } from './attempted';

/** `cancelled`: the contact or the endpoint is gone, or has unsubscribed. */
export const ALERT_MESSAGE_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type AlertMessageState = (typeof ALERT_MESSAGE_STATES)[number];

/** What one recipient receives at once: one alert, or a digest of many. */
@Entity('alert_message')
@Index('alert_message_created_idx', ['createdAt', 'id'])
@Index('alert_message_account_idx', ['accountId', 'createdAt', 'id'])
@Index('alert_message_open_idx', ['recipientId'], { where: `state = 'pending' AND begun_at IS NULL` })
@Index('alert_message_due_idx', ['dueAt'], { where: `state = 'pending'` })
@Index('alert_message_delivery_idx', ['deliveryId'], { where: 'delivery_id IS NOT NULL' })
export class AlertMessage extends Attempted {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  /** The account of the recipient; null for a contact of the installation. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('text')
  channel: AlertChannel;

  /** The contact, or the webhook endpoint. */
  @Column('uuid')
  recipientId: string;

  /** E-mail address, or the name of a hook or endpoint, as it was. */
  @Column('text')
  recipient: string;

  /** Of the alerts in it. */
  @Column('text', { array: true })
  kinds: AlertKind[];

  /** How many alerts are in it. */
  @Column('int')
  alerts: number;

  /** Of a webhook: the delivery, which writes its state into the message. It is stored for a shorter time. */
  @Column('bigint', { nullable: true })
  deliveryId: string | null;

  @Column('text', { default: 'pending' })
  state: AlertMessageState;

  /** When it was sent first: nothing is added to it from then on. */
  @Column('timestamptz', { nullable: true })
  begunAt: Date | null;

  /** Why the last attempt failed. */
  @Column('text', { nullable: true })
  lastError: string | null;
}
