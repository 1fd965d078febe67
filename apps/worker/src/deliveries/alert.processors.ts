import { JobHandler } from '@app/queue/job-handler';
import {
  ALERT_SLOTS,
  CHAT_QUEUE,
  EMAIL_QUEUE,
  SEND_ALERT_CHAT,
  SEND_ALERT_EMAIL,
  type SendAlertPayload,
} from '@app/queue/jobs';
import { Inject } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import { AlertDeliveryService, type AlertOutcome } from './alert-delivery.service';

const OPTIONS = { autorun: false, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 3 };

abstract class AlertProcessor<
  N extends typeof SEND_ALERT_EMAIL | typeof SEND_ALERT_CHAT,
> extends JobHandler<N> {
  readonly concurrency = ALERT_SLOTS;
  /** What does not end by then is sent again by another worker. */
  readonly stopGraceMs = 3_000;

  @Inject() private readonly deliveries: AlertDeliveryService;

  protected handle(payload: SendAlertPayload, signal: AbortSignal): Promise<AlertOutcome> {
    return this.deliveries.deliver(payload, signal);
  }
}

@Processor(EMAIL_QUEUE, OPTIONS)
export class AlertEmailProcessor extends AlertProcessor<typeof SEND_ALERT_EMAIL> {
  readonly jobName = SEND_ALERT_EMAIL;
}

@Processor(CHAT_QUEUE, OPTIONS)
export class AlertChatProcessor extends AlertProcessor<typeof SEND_ALERT_CHAT> {
  readonly jobName = SEND_ALERT_CHAT;
}
