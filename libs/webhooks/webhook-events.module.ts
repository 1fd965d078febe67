import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { Module } from '@nestjs/common';
import { WebhookEvents } from './webhook-events';
import { WebhookSecrets } from './webhook-secrets';

/** Publishing of webhook events, and the secrets they are signed with. */
@Module({
  imports: [DatabaseModule, OutboxModule],
  providers: [WebhookEvents, WebhookSecrets],
  exports: [WebhookEvents, WebhookSecrets],
})
export class WebhookEventsModule {}
