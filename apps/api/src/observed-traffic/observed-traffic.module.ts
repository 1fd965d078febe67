import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ObservedTrafficService } from './observed-traffic.service';
import { StaffAccountTrafficController } from './staff-account-traffic.controller';
import { StaffObservedTrafficController } from './staff-observed-traffic.controller';
import { TrafficRecorder } from './traffic-recorder';

/** Observed traffic: recorded with each request, read by staff. */
@Module({
  imports: [DatabaseModule, HttpModule],
  controllers: [StaffAccountTrafficController, StaffObservedTrafficController],
  providers: [ObservedTrafficService, TrafficRecorder],
  exports: [TrafficRecorder],
})
export class ObservedTrafficModule {}
