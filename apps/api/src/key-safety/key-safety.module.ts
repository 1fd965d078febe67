import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { SafetyListService } from './safety-list.service';
import { StaffKeyFindingsController } from './staff-key-findings.controller';
import { StaffKeySafetyController } from './staff-key-safety.controller';

/** What is found about keys, for staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffKeyFindingsController, StaffKeySafetyController],
  providers: [SafetyListService],
})
export class KeySafetyModule {}
