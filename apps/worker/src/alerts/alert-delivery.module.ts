import { AlertsModule } from '@app/alerts/alerts.module';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { AlertChatProcessor } from './alert-chat.processor';
import { AlertDeliveryService } from './alert-delivery.service';
import { AlertEmailProcessor } from './alert-email.processor';
import { AlertSenders } from './alert-senders';
import { AlertSweeper } from './alert-sweeper';
import { AlertWatch } from './alert-watch';
import { CountryWatch } from './country-watch';
import { MailTransport } from './mail-transport';
import { QuotaWatch } from './quota-watch';
import { SpendingWatch } from './spending-watch';

/** Alerts: found by watching, and sent. */
@Module({
  imports: [AlertsModule, DatabaseModule, QueueModule],
  providers: [
    AlertChatProcessor,
    AlertDeliveryService,
    AlertEmailProcessor,
    AlertSenders,
    AlertSweeper,
    AlertWatch,
    CountryWatch,
    MailTransport,
    QuotaWatch,
    SpendingWatch,
  ],
  exports: [AlertDeliveryService],
})
export class AlertDeliveryModule {}
