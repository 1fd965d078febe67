import { AlertsModule } from '@app/alerts/alerts.module';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { AlertWatch } from './alert-watch';
import { CountryWatch } from './country-watch';
import { QuotaWatch } from './quota-watch';
import { SpendingWatch } from './spending-watch';

/** What raises alerts. */
@Module({
  imports: [AlertsModule, DatabaseModule, QueueModule],
  providers: [AlertWatch, CountryWatch, QuotaWatch, SpendingWatch],
})
export class AlertWatchModule {}
