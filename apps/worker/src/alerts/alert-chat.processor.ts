import { JobHandler } from '@app/queue/job-handler';
import { ALERT_SLOTS, CHAT_QUEUE, SEND_ALERT_CHAT, type SendAlertPayload } from '@app/queue/jobs';
import { Processor } from '@nestjs/bullmq';
import { AlertDeliveryService, type AlertOutcome } from './alert-delivery.service';

@Processor(CHAT_QUEUE, { autorun: false, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 3 })
export class AlertChatProcessor extends JobHandler<typeof SEND_ALERT_CHAT> {
  readonly jobName = SEND_ALERT_CHAT;
  readonly concurrency = ALERT_SLOTS;
  /** What does not end by then is sent again by another worker. */
  readonly stopGraceMs = 3_000;

  constructor(private readonly deliveries: AlertDeliveryService) {
    super();
  }

  protected handle(payload: SendAlertPayload, signal: AbortSignal): Promise<AlertOutcome> {
    return this.deliveries.deliver(payload, signal);
  }
}
