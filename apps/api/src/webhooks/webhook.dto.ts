import {
  WEBHOOK_DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookDeliveryState,
} from '@app/database/deliveries/webhook-delivery.entity';
import type { WebhookDisabledReason, WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import type { DeliveryWithAttempts, NewAttempt } from '@app/database/deliveries/webhook-delivery.repository';
import {
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_TEST_EVENT,
  type WebhookEventType,
} from '@app/domain/webhooks/webhook-event';
import { WEBHOOK_URL_MAX } from '@app/domain/webhooks/webhook-url';
import { checkEvents, WEBHOOK_NAME } from '@app/administration/webhooks/webhook-checks';
import { REASON, ReasonBody } from '../http/reason';
import { checkTime } from '@app/domain/common/field-checks';
import { BooleanField, CheckedField, EnumField, StringField } from '../http/fields';
import { CursorField, LimitField, type PageQuery } from '../http/pagination';

export class CreateWebhookBody extends ReasonBody {
  @StringField(WEBHOOK_NAME)
  name: string;

  @StringField({ min: 1, max: WEBHOOK_URL_MAX })
  url: string;

  @CheckedField(checkEvents)
  events: WebhookEventType[];
}

export class EditWebhookBody extends ReasonBody {
  @StringField({ ...WEBHOOK_NAME, optional: true })
  name?: string;

  @StringField({ min: 1, max: WEBHOOK_URL_MAX, optional: true })
  url?: string;

  @CheckedField(checkEvents, { optional: true })
  events?: WebhookEventType[];

  @BooleanField({ optional: true })
  enabled?: boolean;
}

const EVENT_TYPES = [...WEBHOOK_EVENT_TYPES, WEBHOOK_TEST_EVENT];

class DeliverySelection {
  @EnumField(WEBHOOK_DELIVERY_STATES, { optional: true })
  state?: WebhookDeliveryState;

  @EnumField(EVENT_TYPES, { optional: true })
  event?: string;

  /** Created then or later. */
  @CheckedField(checkTime, { optional: true })
  from?: string;
}

export class DeliveryQuery extends DeliverySelection implements PageQuery {
  @LimitField()
  limit?: string;

  @CursorField()
  cursor?: string;
}

export class ReplayBody extends DeliverySelection {
  @StringField(REASON)
  reason: string;
}

export interface WebhookResponse {
  id: string;
  account_id: string;
  name: string;
  url: string;
  events: WebhookEventType[];
  enabled: boolean;
  /** `failing`: it accepted nothing for a day. */
  disabled_reason: WebhookDisabledReason | null;
  disabled_at: string | null;
  failing_since: string | null;
  last_error: string | null;
  /** To the minute. */
  last_success_at: string | null;
  secret_hint: string;
  created_at: string;
  updated_at: string;
  version: number;
  /** In the response to creating and rotating only. */
  secret?: string;
}

export function toWebhookResponse(endpoint: WebhookEndpoint, secret?: string): WebhookResponse {
  return {
    id: endpoint.id,
    account_id: endpoint.accountId,
    name: endpoint.name,
    url: endpoint.url,
    events: endpoint.events,
    enabled: endpoint.disabledAt === null,
    disabled_reason: endpoint.disabledReason,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    last_error: endpoint.lastError,
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    secret_hint: endpoint.secretLastFour,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
    version: endpoint.version,
    ...(secret !== undefined && { secret }),
  };
}

type Described = Pick<
  WebhookDelivery,
  'id' | 'eventId' | 'eventType' | 'state' | 'attempts' | 'dueAt' | 'createdAt' | 'deliveredAt'
>;

export interface DeliveryResponse {
  id: string;
  event_id: string;
  event: string;
  state: WebhookDeliveryState;
  attempts: number;
  /** Of a pending one; it may be under way. */
  next_attempt_at: string | null;
  created_at: string;
  delivered_at: string | null;
  last_attempt: NewAttempt | null;
}

export function toDeliveryResponse(delivery: Described & { last: NewAttempt | null }): DeliveryResponse {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.eventType,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.state === 'pending' ? delivery.dueAt.toISOString() : null,
    created_at: delivery.createdAt.toISOString(),
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    last_attempt: delivery.last,
  };
}

export interface DeliveryDetailResponse extends Omit<DeliveryResponse, 'last_attempt'> {
  body: string;
  attempt_log: (NewAttempt & { at: string })[];
}

export function toDeliveryDetail({ delivery, attempts }: DeliveryWithAttempts): DeliveryDetailResponse {
  const { last_attempt: _, ...response } = toDeliveryResponse({ ...delivery, last: null });
  return {
    ...response,
    body: delivery.body,
    attempt_log: attempts.map(({ at, status, ms, error, answer: text }) => ({
      at: at.toISOString(),
      status,
      ms,
      error,
      answer: text,
    })),
  };
}
