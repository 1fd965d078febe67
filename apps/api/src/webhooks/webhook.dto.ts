import {
  WEBHOOK_DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookDeliveryState,
} from '@app/database/deliveries/webhook-delivery.entity';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
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
import { choose } from '../http/choose';
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

export interface WebhookResponse extends ReturnType<typeof toWebhookResponse> {}

export function toWebhookResponse(endpoint: WebhookEndpoint, secret?: string) {
  return {
    ...choose(endpoint, 'id', 'accountId', 'name', 'url', 'events'),
    enabled: endpoint.disabledAt === null,
    /** `failing`: it accepted nothing for a day. */
    disabled_reason: endpoint.disabledReason,
    ...choose(endpoint, 'disabledAt', 'failingSince', 'lastError'),
    /** To the minute. */
    last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
    secret_hint: endpoint.secretLastFour,
    ...choose(endpoint, 'createdAt', 'updatedAt', 'version'),
    ...(secret !== undefined && {
      /** In the response to creating and rotating only. */
      secret,
    }),
  };
}

type Described = Pick<
  WebhookDelivery,
  'id' | 'eventId' | 'eventType' | 'state' | 'attempts' | 'dueAt' | 'createdAt' | 'deliveredAt'
>;

function toDescribed(delivery: Described) {
  return {
    ...choose(delivery, 'id', 'eventId'),
    event: delivery.eventType,
    ...choose(delivery, 'state', 'attempts'),
    /** Of a pending one; it may be under way. */
    next_attempt_at: delivery.state === 'pending' ? delivery.dueAt.toISOString() : null,
    ...choose(delivery, 'createdAt', 'deliveredAt'),
  };
}

export interface DeliveryResponse extends ReturnType<typeof toDeliveryResponse> {}

export function toDeliveryResponse(delivery: Described & { last: NewAttempt | null }) {
  return { ...toDescribed(delivery), last_attempt: delivery.last };
}

export interface DeliveryDetailResponse extends ReturnType<typeof toDeliveryDetail> {}

export function toDeliveryDetail({ delivery, attempts }: DeliveryWithAttempts) {
  return {
    ...toDescribed(delivery),
    body: delivery.body,
    attempt_log: attempts.map(({ at, status, ms, error, answer: text }): NewAttempt & { at: string } => ({
      status,
      ms,
      error,
      answer: text,
      at: at.toISOString(),
    })),
  };
}
