import { AlertsModule } from '@app/alerts/alerts.module';
import { DatabaseModule } from '@app/database/database.module';
import { OperationsModule } from '@app/operations/operations.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { AlertWatch } from './alert-watch';
import { CheckWatch } from './check-watch';
import { CountryWatch } from './country-watch';
import { QuotaWatch } from './quota-watch';
import { SpendingWatch } from './spending-watch';

/** What raises alerts. */
@Module({
  imports: [AlertsModule, DatabaseModule, OperationsModule, QueueModule],
  providers: [AlertWatch, CheckWatch, CountryWatch, QuotaWatch, SpendingWatch],
})
export class AlertWatchModule {}
