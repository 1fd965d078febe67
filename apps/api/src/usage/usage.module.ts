import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { PublicUsageController } from './public-usage.controller';
import { StaffUsageController } from './staff-usage.controller';
import { UsageService } from './usage.service';

/** What accounts have used. */
@Module({
  imports: [DatabaseModule],
  controllers: [PublicUsageController, StaffUsageController],
  providers: [UsageService],
})
export class UsageModule {}
