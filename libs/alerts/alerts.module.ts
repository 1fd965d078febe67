import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { AlertMessages } from './alert-messages';
import { Alerts } from './alerts';
import { ContactSecrets } from './contact-secrets';

/** What people are notified of, and how it reaches them. */
@Module({
  imports: [DatabaseModule, OutboxModule, WebhookEventsModule],
  providers: [AlertMessages, Alerts, ContactSecrets],
  exports: [AlertMessages, Alerts, ContactSecrets],
})
export class AlertsModule {}
