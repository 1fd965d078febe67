/** What an endpoint can subscribe to. */
export const WEBHOOK_EVENT_TYPES = [
  'voice.reviewed',
  'voice.appeal_answered',
  'voice.safety_changed',
  'key.created',
  'key.rotated',
  'key.expiring',
  'key.limited',
  'key.disabled',
  'quota.reached',
  'alert.raised',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Sent to one endpoint when a staff member sends a test. */
export const WEBHOOK_TEST_EVENT = 'webhook.test';

export interface WebhookEvent {
  /** The same in every delivery of the event, to every endpoint: a receiver that has seen it can ignore it. */
  id: string;
  type: WebhookEventType | typeof WEBHOOK_TEST_EVENT;
  accountId: string;
  data: Record<string, unknown>;
}

/** The body that is sent, the same bytes in every attempt. */
export function webhookBody({ id, type, data }: WebhookEvent, now: Date): string {
  return JSON.stringify({ type, event_id: id, event_timestamp: Math.floor(now.getTime() / 1_000), data });
}
