import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import type { Voice } from '@app/database/voices/voice.entity';
import { OutboxRepository } from '@app/queue/outbox.repository';
import {
  WebhookDeliveryRepository,
  type DueDelivery,
  type NewDelivery,
} from '@app/database/deliveries/webhook-delivery.repository';
import { WebhookEndpointRepository } from '@app/database/webhooks/webhook-endpoint.repository';
import type { RaisedAlert } from '@app/database/alerts/alert.repository';
import { publishedDisableReason } from '@app/domain/keys/disable-reasons';
import { safetyControlOf } from '@app/domain/voices/voice-safety';
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

/** An alert about an account or one of its keys. */
export type AccountAlert = RaisedAlert & { accountId: string };

/** What one endpoint receives about alerts, in one event. */
export interface NotifiedEndpoint extends NewDelivery {
  accountId: string;
  alerts: AccountAlert[];
}

/** Alerts of one rule about one account: one event, however many there are. */
interface AlertGroup {
  accountId: string;
  alerts: AccountAlert[];
}

/** Alerts that an event lists; of more it says how many. */
const LISTED_ALERTS = 100;

interface ChangedKey {
  id: string;
  accountId: string;
  name: string;
  expiresAt: Date | null;
}

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
    await this.notify('voice.reviewed', [voice], toVoiceData, em);
  }

  /** A person has answered an appeal against the grade of a voice. */
  async appealAnswered({ accountId, name }: Voice, appeal: ReviewAppeal, em: EntityManager): Promise<void> {
    await this.notify('voice.appeal_answered', [{ accountId, name, appeal }], toAppealData, em);
  }

  /** Staff hold a voice, have taken it down, or have released it. */
  async voiceSafetyChanged(voice: Voice, em: EntityManager): Promise<void> {
    await this.notify('voice.safety_changed', [voice], toSafetyData, em);
  }

  /** Keys do not work any more: `disable_reason` is one of the published reasons or null, `reason` one of those or of ours. */
  async keysDisabled(keys: DisabledKey[], reason: string, em: EntityManager): Promise<void> {
    const published = publishedDisableReason(reason);
    const toData = ({ id, name }: DisabledKey) => ({ key_id: id, name, disable_reason: published, reason });
    await this.notify('key.disabled', keys, toData, em);
  }

  /** An account has a key more. */
  async keyCreated(key: ChangedKey, em: EntityManager): Promise<void> {
    await this.notify('key.created', [key], toKeyData, em);
  }

  /** A key has a new secret; the former one works until `retiresAt`. */
  async keyRotated(key: ChangedKey & { retiresAt: Date | null }, em: EntityManager): Promise<void> {
    const toData = ({ retiresAt, ...rotated }: ChangedKey & { retiresAt: Date | null }) => ({
      ...toKeyData(rotated),
      former_secret_works_until_unix: retiresAt && Math.floor(retiresAt.getTime() / 1_000),
    });
    await this.notify('key.rotated', [key], toData, em);
  }

  /** Rules have fired: each share of credits, each key that expires or is refused is a separate event, and everything but credits also in one event a rule and account. */
  async alertsRaised(alerts: AccountAlert[], em: EntityManager): Promise<NotifiedEndpoint[]> {
    const quotas = alerts.filter(({ kind }) => kind === 'credits_used');
    const others = alerts.filter(({ kind }) => kind !== 'credits_used');
    const single = quotas.map((alert): AlertGroup => ({ accountId: alert.accountId, alerts: [alert] }));
    return [
      ...(await this.notify('quota.reached', single, toQuotaData, em)),
      ...(await this.notify('alert.raised', groupAlerts(others), toAlertData, em)),
      ...(await this.notify('key.expiring', ofKind(alerts, 'key_expiring'), toKeyAlertData, em)),
      ...(await this.notify('key.limited', ofKind(alerts, 'key_refused'), toKeyAlertData, em)),
    ].map(({ subject, ...delivery }) => ({ ...delivery, ...subject }));
  }

  /** Sends an event to one endpoint, regardless of its subscriptions. */
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

  private async notify<T extends { accountId: string }>(
    type: WebhookEventType,
    subjects: T[],
    toData: (subject: T) => Record<string, unknown>,
    em: EntityManager,
  ): Promise<(NewDelivery & { subject: T })[]> {
    if (subjects.length === 0) return [];
    const accountIds = [...new Set(subjects.map(({ accountId }) => accountId))];
    const subscribed = new Set(await this.endpoints.listSubscribed(accountIds, type, em));
    const notified = subjects.filter(({ accountId }) => subscribed.has(accountId));
    const events = notified.map((subject) => newEvent(type, subject.accountId, toData(subject)));
    if (events.length === 0) return [];
    const deliveries = await this.deliveries.insertForSubscribers(events, em);
    await this.dispatch(
      deliveries.map(({ deliveryId, dispatch }) => ({ deliveryId, dispatch })),
      0,
      em,
    );
    const subjectOf = new Map<string, T>(events.map(({ id }, index) => [id, notified[index]!]));
    return deliveries.map((delivery) => ({ ...delivery, subject: subjectOf.get(delivery.eventId)! }));
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

function toSafetyData(voice: Voice): Record<string, unknown> {
  return {
    voice_id: voice.id,
    name: voice.name,
    safety_control: safetyControlOf(voice.safetyState),
    notice: voice.safetyNotice,
  };
}

function toAppealData({ name, appeal }: { name: string; appeal: ReviewAppeal }): Record<string, unknown> {
  return {
    appeal_id: appeal.id,
    voice_id: appeal.voiceId,
    name,
    outcome: appeal.outcome,
    answer: appeal.answer,
    appealed_recording_quality: appeal.grade,
    recording_quality: appeal.answeredGrade,
  };
}

function toKeyData({ id, name, expiresAt }: ChangedKey): Record<string, unknown> {
  return { key_id: id, name, expires_at_unix: expiresAt && Math.floor(expiresAt.getTime() / 1_000) };
}

/** One event for each of them. */
function ofKind(alerts: AccountAlert[], kind: AccountAlert['kind']): AlertGroup[] {
  return alerts
    .filter((alert) => alert.kind === kind)
    .map((alert) => ({ accountId: alert.accountId, alerts: [alert] }));
}

function toKeyAlertData({ alerts: [alert] }: AlertGroup): Record<string, unknown> {
  const { keyId, threshold, data } = alert!;
  return { key_id: keyId, threshold, ...data };
}

function toQuotaData({ alerts: [alert] }: AlertGroup): Record<string, unknown> {
  const { keyId, threshold, data } = alert!;
  return { key_id: keyId, threshold_percent: threshold, ...data };
}

function groupAlerts(alerts: AccountAlert[]): AlertGroup[] {
  const groups = new Map<string, AlertGroup>();
  for (const alert of alerts) {
    const name = `${alert.accountId} ${alert.ruleId}`;
    const group = groups.get(name) ?? { accountId: alert.accountId, alerts: [] };
    group.alerts.push(alert);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function toAlertData({ alerts }: AlertGroup): Record<string, unknown> {
  const { kind, threshold } = alerts[0]!;
  return {
    kind,
    threshold,
    total: alerts.length,
    alerts: alerts.slice(0, LISTED_ALERTS).map(({ keyId, data }) => ({ key_id: keyId, ...data })),
  };
}
