import type { FailingReceiver } from '@app/database/webhooks/webhook-endpoint.repository';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { choose } from '../http/choose';
import { RequireStaff } from '../http/staff-access';
import { WebhookDeliveriesService } from './webhook-deliveries.service';

interface FailingReceiverResponse extends ReturnType<typeof toResponse> {}

@Controller('admin/queues/receivers')
export class StaffFailingWebhooksController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  /** Those that failed first, at most 50. */
  @Get() // List webhook receivers that fail
  @RequireStaff('queues.read')
  async list(): Promise<{ items: FailingReceiverResponse[] }> {
    return { items: (await this.deliveries.listFailingReceivers()).map(toResponse) };
  }

  /** Also what waits for its next attempt; at most 1,000 deliveries, the oldest first. */
  @Post(':webhook_id/replay') // Send what a receiver has not accepted again, at once
  @HttpCode(202)
  @RequireStaff('queues.retry')
  async replay(
    @Param('webhook_id') webhookId: string,
    @Action() action: ActionByStaff,
  ): Promise<{ replayed: number }> {
    return { replayed: await this.deliveries.resend(webhookId, action) };
  }

  /** One that was switched off because it had failed for a day. What it has not accepted is sent at once, as by `replay`. */
  @Post(':webhook_id/enable') // Switch a receiver on again, and send it what it has not accepted
  @HttpCode(202)
  @RequireStaff('queues.retry')
  async enable(
    @Param('webhook_id') webhookId: string,
    @Action() action: ActionByStaff,
  ): Promise<{ replayed: number }> {
    return { replayed: await this.deliveries.enable(webhookId, action) };
  }
}

function toResponse({ accountId, accountName, ...receiver }: FailingReceiver) {
  return {
    ...choose(receiver, 'id', 'name', 'url'),
    account: { id: accountId, name: accountName },
    enabled: receiver.isEnabled,
    ...choose(receiver, 'since', 'lastError'),
    /** Deliveries that wait for their next attempt, when the first of them is tried, and those that failed for good. */
    waiting: receiver.waiting,
    ...choose(receiver, 'nextAttemptAt', 'failed'),
  };
}
