import { AlertsModule } from '@app/alerts/alerts.module';
import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { QueueModule } from '@app/queue/queue.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { AlertDeliveryService } from './alert-delivery.service';
import { AlertChatProcessor, AlertEmailProcessor } from './alert.processors';
import { AlertSenders } from './alert-senders';
import { AlertSweeper } from './alert-sweeper';
import { DeliveryJobs } from './delivery-jobs';
import { DeliveryMetrics } from './delivery-metrics';
import { MailTransport } from './mail-transport';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookProcessor } from './webhook.processor';
import { WebhookSweeper } from './webhook-sweeper';

/** Webhooks, e-mails and messages to chats on their way out. */
@Module({
  imports: [AlertsModule, DatabaseModule, OutboxModule, QueueModule, WebhookEventsModule],
  providers: [
    AlertChatProcessor,
    AlertDeliveryService,
    AlertEmailProcessor,
    AlertSenders,
    AlertSweeper,
    DeliveryJobs,
    DeliveryMetrics,
    MailTransport,
    WebhookDeliveryService,
    WebhookProcessor,
    WebhookSweeper,
  ],
  exports: [DeliveryMetrics],
})
export class DeliveriesModule {}
