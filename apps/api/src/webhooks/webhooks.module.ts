import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { PublicWebhooksController } from './public-webhooks.controller';
import { StaffFailingWebhooksController } from './staff-failing-webhooks.controller';
import { StaffWebhookDeliveriesController } from './staff-webhook-deliveries.controller';
import { StaffWebhookTotalsController } from './staff-webhook-totals.controller';
import { StaffWebhooksController } from './staff-webhooks.controller';
import { WebhookDeliveriesService } from './webhook-deliveries.service';

/** Webhook endpoints and their deliveries, for staff; the endpoints also for their account. */
@Module({
  imports: [AdministrationModule, DatabaseModule, WebhookEventsModule],
  controllers: [
    PublicWebhooksController,
    StaffFailingWebhooksController,
    StaffWebhookDeliveriesController,
    StaffWebhooksController,
    StaffWebhookTotalsController,
  ],
  providers: [WebhookDeliveriesService],
})
export class WebhooksModule {}
