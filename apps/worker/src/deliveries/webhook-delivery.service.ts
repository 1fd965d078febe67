import { AppConfig } from '@app/config/app-config';
import {
  DUE_WEBHOOKS,
  WebhookDeliveryRepository,
  type ClaimedDelivery,
  type DueDelivery,
} from '@app/database/deliveries/webhook-delivery.repository';
import { WebhookEndpointRepository } from '@app/database/webhooks/webhook-endpoint.repository';
import {
  isDeadEndpoint,
  isGone,
  retryAfterSecs,
  webhookRetryDelaySecs,
} from '@app/domain/webhooks/webhook-retry';
import { SIGNATURE_HEADER, signWebhook } from '@app/domain/webhooks/webhook-signature';
import { DELIVER_WEBHOOK, WEBHOOK_SLOTS } from '@app/queue/jobs';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryJobs } from './delivery-jobs';
import { postWebhook, type PostedWebhook } from './post-webhook';
import { DeliverySlots } from './delivery-slots';

/** `skipped`: another job has taken the delivery over, or it has ended. `postponed`: its endpoint or its account has its share of the slots. */
export type DeliveryOutcome = 'delivered' | 'retry' | 'failed' | 'skipped' | 'postponed';

export const WEBHOOKS = { job: DELIVER_WEBHOOK, table: DUE_WEBHOOKS } as const;

const TIMEOUT_MS = 10_000;

@Injectable()
export class WebhookDeliveryService {
  /** Attempts in this process since it began. */
  readonly outcomes = new Map<DeliveryOutcome, number>();
  private readonly slots = new DeliverySlots(WEBHOOK_SLOTS);

  constructor(
    private readonly config: AppConfig,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: WebhookSecrets,
    private readonly jobs: DeliveryJobs,
  ) {}

  /** Makes one attempt and writes it down, with the next job if there is to be one. */
  async deliver(due: DueDelivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcome = await this.attempt(due, signal);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    return outcome;
  }

  private async attempt(due: DueDelivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    const delivery = await this.deliveries.claim(due);
    if (!delivery) return 'skipped';
    if (delivery.isDisabled) return this.refuse(due);
    const slot = this.slots.take(delivery.accountId, delivery.endpointId);
    if ('delaySecs' in slot) return this.jobs.postpone(WEBHOOKS, due, slot.delaySecs);
    try {
      return await this.record(due, delivery, await this.send(delivery, signal));
    } finally {
      slot.release();
    }
  }

  private async send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<PostedWebhook> {
    const { eventId, url, body } = delivery;
    const secret = this.openSecret(delivery);
    // Its endpoint shows it, and another APP_SECRET or a new secret of the endpoint ends it.
    if (secret === null)
      return {
        status: null,
        ms: 0,
        error: 'its secret was stored with another APP_SECRET',
        answer: null,
        retryAfter: null,
      };
    return postWebhook({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Greenroom-Webhooks/1',
        'webhook-id': eventId,
        [SIGNATURE_HEADER]: signWebhook(secret, body, new Date()),
      },
      allowPrivate: this.config.webhookPrivateNetworks === 'allow',
      signal,
      timeoutMs: TIMEOUT_MS,
    });
  }

  private openSecret({ endpointId, sealedSecret }: ClaimedDelivery): string | null {
    try {
      return this.secrets.open(endpointId, sealedSecret);
    } catch {
      return null;
    }
  }

  private async record(
    due: DueDelivery,
    delivery: ClaimedDelivery,
    { retryAfter, ...attempt }: PostedWebhook,
  ): Promise<DeliveryOutcome> {
    return this.jobs.write(WEBHOOKS, due, async (em, ageSecs) => {
      await this.deliveries.addAttempt(due.deliveryId, attempt, em);
      if (attempt.error !== null) return this.fail(due, delivery, { ...attempt, retryAfter, ageSecs }, em);
      await this.deliveries.markDone(due.deliveryId, 'delivered', em);
      await this.endpoints.markSucceeded(delivery.endpointId, em);
      return 'delivered';
    });
  }

  private async fail(
    due: DueDelivery,
    { endpointId, attempts }: ClaimedDelivery,
    { ageSecs, ...attempt }: PostedWebhook & { ageSecs: number },
    em: EntityManager,
  ): Promise<DeliveryOutcome> {
    const failingSecs = await this.endpoints.markFailed(endpointId, attempt.error ?? '', em);
    const wishedSecs = retryAfterSecs(attempt, new Date());
    const delaySecs = webhookRetryDelaySecs(attempts + 1, ageSecs, Math.random(), wishedSecs);
    if (delaySecs !== null && !isGone(attempt)) {
      await this.jobs.sendAgain(WEBHOOKS, due, delaySecs, em);
      return 'retry';
    }
    await this.deliveries.markDone(due.deliveryId, 'failed', em);
    if (isGone(attempt)) await this.endpoints.disable(endpointId, 'gone', em);
    else if (isDeadEndpoint(failingSecs)) await this.endpoints.disable(endpointId, 'failing', em);
    return 'failed';
  }

  /** The endpoint was disabled since: staff may replay the delivery when it is enabled again. */
  private async refuse(due: DueDelivery): Promise<DeliveryOutcome> {
    const attempt = { status: null, ms: 0, error: 'the endpoint is disabled', answer: null };
    return this.jobs.write(WEBHOOKS, due, async (em) => {
      await this.deliveries.addAttempt(due.deliveryId, attempt, em);
      await this.deliveries.markDone(due.deliveryId, 'failed', em);
      return 'failed' as const;
    });
  }
}
