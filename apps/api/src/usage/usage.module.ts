import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AnalyticsService } from './analytics.service';
import { PublicAnalyticsController } from './public-analytics.controller';
import { PublicUsageController } from './public-usage.controller';
import { StaffUsageController } from './staff-usage.controller';
import { StaffUsageSinksController } from './staff-usage-sinks.controller';
import { UsageService } from './usage.service';

/** What accounts have used. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [
    PublicAnalyticsController,
    PublicUsageController,
    StaffUsageController,
    StaffUsageSinksController,
  ],
  providers: [AnalyticsService, UsageService],
})
export class UsageModule {}
