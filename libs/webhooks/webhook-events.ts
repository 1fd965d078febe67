import type { Voice } from '@app/database/voices/voice.entity';
import { OutboxRepository } from '@app/queue/outbox.repository';
import {
  WebhookDeliveryRepository,
  type DueDelivery,
} from '@app/database/webhooks/webhook-delivery.repository';
import { WebhookEndpointRepository } from '@app/database/webhooks/webhook-endpoint.repository';
import type { ReachedQuota } from '@app/database/webhooks/webhook-quota.repository';
import { publishedDisableReason } from '@app/domain/keys/disable-reasons';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import {
  WEBHOOK_TEST_EVENT,
  webhookBody,
  type WebhookEvent,
  type WebhookEventType,
} from '@app/domain/webhooks/webhook-event';
import { DELIVER_WEBHOOK } from '@app/queue/jobs';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';

interface DisabledKey {
  id: string;
  accountId: string;
  name: string;
}

/**
 * Sends events to accounts: in the transaction in which they happen, so that an endpoint receives one if and only if
 * it did.
 */
@Injectable()
export class WebhookEvents {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly outbox: OutboxRepository,
  ) {}

  /** A voice has a verdict, a first or a new one. */
  async voiceReviewed(voice: Voice, em: EntityManager): Promise<void> {
    await this.tell('voice.reviewed', [voice], toVoiceData, em);
  }

  /** Keys do not work any more. Customers see the published reasons only. */
  async keysDisabled(keys: DisabledKey[], disableReason: string, em: EntityManager): Promise<void> {
    const reason = publishedDisableReason(disableReason);
    const toData = ({ id, name }: DisabledKey) => ({ key_id: id, name, disable_reason: reason });
    await this.tell('key.disabled', keys, toData, em);
  }

  async quotaReached(reached: ReachedQuota[], em: EntityManager): Promise<void> {
    await this.tell('quota.reached', reached, toQuotaData, em);
  }

  /** Sends an event to one endpoint, whatever it subscribes to. */
  async test(endpoint: { id: string; accountId: string }, em: EntityManager): Promise<string> {
    const data = { message: 'This endpoint can be reached.' };
    const event = newEvent(WEBHOOK_TEST_EVENT, endpoint.accountId, data);
    const delivery = await this.deliveries.insertFor(endpoint.id, event, em);
    await this.dispatch([delivery], 0, em);
    return delivery.deliveryId;
  }

  /** Enqueues the jobs of deliveries, each due after `delaySecs`. */
  async dispatch(due: DueDelivery[], delaySecs: number, em: EntityManager): Promise<void> {
    await this.outbox.enqueueAll(DELIVER_WEBHOOK, due, delaySecs, em);
  }

  private async tell<T extends { accountId: string }>(
    type: WebhookEventType,
    subjects: T[],
    toData: (subject: T) => Record<string, unknown>,
    em: EntityManager,
  ): Promise<void> {
    const accountIds = [...new Set(subjects.map(({ accountId }) => accountId))];
    const subscribed = new Set(await this.endpoints.listSubscribed(accountIds, type, em));
    const events = subjects
      .filter(({ accountId }) => subscribed.has(accountId))
      .map((subject) => newEvent(type, subject.accountId, toData(subject)));
    if (events.length === 0) return;
    await this.dispatch(await this.deliveries.insertForSubscribers(events, em), 0, em);
  }
}

function newEvent(type: WebhookEvent['type'], accountId: string, data: Record<string, unknown>) {
  const event = { id: randomUUID(), type, accountId, data };
  return { ...event, body: webhookBody(event, new Date()) };
}

function toVoiceData(voice: Voice): Record<string, unknown> {
  return {
    voice_id: voice.id,
    name: voice.name,
    labelling_status: labellingStatusOf(voice.reviewState),
    recording_quality: voice.recordingQuality,
    recording_quality_reason: voice.recordingQualityReason,
  };
}

function toQuotaData(reached: ReachedQuota): Record<string, unknown> {
  const { keyId, threshold, used, creditLimit, periodStart } = reached;
  return {
    key_id: keyId,
    threshold_percent: threshold,
    credits_used: used,
    credit_limit: creditLimit,
    period_start_unix: Math.floor(periodStart.getTime() / 1_000),
  };
}
