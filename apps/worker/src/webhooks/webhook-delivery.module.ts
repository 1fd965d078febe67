import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookSweeper } from './webhook-sweeper';
import { WebhookProcessor } from './webhook.processor';

/** Delivery of webhooks. */
@Module({
  imports: [DatabaseModule, QueueModule, WebhookEventsModule],
  providers: [WebhookDeliveryService, WebhookProcessor, WebhookSweeper],
  exports: [WebhookDeliveryService],
})
export class WebhookDeliveryModule {}
