import type { WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Versioned } from '../common/versioned';

/** `failing`: it accepted nothing for a day. */
export type WebhookDisabledReason = 'staff' | 'customer' | 'failing' | 'gone';

/** Where an account receives events. */
@Entity('webhook_endpoint')
@Index('webhook_endpoint_account_idx', ['accountId', 'createdAt'])
@Index('webhook_endpoint_managed_idx', { synchronize: false })
export class WebhookEndpoint extends Versioned {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('text')
  name: string;

  @Column('text')
  url: string;

  @Column('text', { array: true })
  events: WebhookEventType[];

  /** The signing secret, encrypted; see `libs/webhooks/webhook-secrets.ts`. */
  @Column('text')
  sealedSecret: string;

  /** The last characters of the secret. */
  @Column('text', { name: 'secret_hint' })
  secretLastFour: string;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  @Column('text', { nullable: true })
  disabledReason: WebhookDisabledReason | null;

  /** The first failed attempt since the last success. */
  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  /** Why the last attempt failed. */
  @Column('text', { nullable: true })
  lastError: string | null;

  /** To the minute. */
  @Column('timestamptz', { nullable: true })
  lastSuccessAt: Date | null;

  /** The file of keys that manages it, by its name; null for none. */
  @Column('text', { nullable: true })
  managedBy: string | null;
}
