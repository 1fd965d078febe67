import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { StaffModule } from '../staff/staff.module';
import { StaffTimersController } from './staff-timers.controller';
import { TimersService } from './timers.service';

/** What workers do again and again, for staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule, StaffModule],
  controllers: [StaffTimersController],
  providers: [TimersService],
})
export class TimersModule {}
