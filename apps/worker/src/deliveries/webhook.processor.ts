import { DELIVER_WEBHOOK, WEBHOOK_QUEUE, WEBHOOK_SLOTS, type DeliverWebhookPayload } from '@app/queue/jobs';
import { JobHandler } from '@app/queue/job-handler';
import { Processor } from '@nestjs/bullmq';
import { WebhookDeliveryService, type DeliveryOutcome } from './webhook-delivery.service';

@Processor(WEBHOOK_QUEUE, {
  autorun: false,
  lockDuration: 20_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
})
export class WebhookProcessor extends JobHandler<typeof DELIVER_WEBHOOK> {
  readonly jobName = DELIVER_WEBHOOK;
  readonly concurrency = WEBHOOK_SLOTS;
  /** Shorter than a request may take: it is aborted, and sent again by another worker. */
  readonly stopGraceMs = 3_000;

  constructor(private readonly deliveries: WebhookDeliveryService) {
    super();
  }

  protected handle(payload: DeliverWebhookPayload, signal: AbortSignal): Promise<DeliveryOutcome> {
    return this.deliveries.deliver(payload, signal);
  }
}
