import { DELIVER_WEBHOOK, WEBHOOK_QUEUE, type DeliverWebhookPayload } from '@app/queue/jobs';
import { JobHandler } from '@app/queue/job-handler';
import { Processor } from '@nestjs/bullmq';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { WebhookDeliveryService, type DeliveryOutcome } from './webhook-delivery.service';
import { WEBHOOK_SLOTS } from './webhook-slots';

/** Shorter than a request may take: it is aborted, and sent again by another worker. */
const STOP_GRACE_MS = 3_000;

@Processor(WEBHOOK_QUEUE, {
  autorun: false,
  lockDuration: 20_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
})
export class WebhookProcessor
  extends JobHandler<typeof DELIVER_WEBHOOK>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  readonly jobName = DELIVER_WEBHOOK;

  constructor(private readonly deliveries: WebhookDeliveryService) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.startWorker(WEBHOOK_SLOTS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopWorker(STOP_GRACE_MS);
  }

  protected handle(payload: DeliverWebhookPayload, signal: AbortSignal): Promise<DeliveryOutcome> {
    return this.deliveries.deliver(payload, signal);
  }
}
