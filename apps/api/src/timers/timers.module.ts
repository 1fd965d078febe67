import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { StaffModule } from '../staff/staff.module';
import { StaffTimersController } from './staff-timers.controller';

/** What workers do again and again, for staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule, StaffModule],
  controllers: [StaffTimersController],
})
export class TimersModule {}
