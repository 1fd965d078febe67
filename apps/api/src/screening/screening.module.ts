import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ScreeningDryRunService } from './screening-dry-run.service';
import { ScreeningService } from './screening.service';
import { StaffScreeningController } from './staff-screening.controller';

/** What names, descriptions and texts of voices must not have. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffScreeningController],
  providers: [ScreeningDryRunService, ScreeningService],
  exports: [ScreeningService],
})
export class ScreeningModule {}
