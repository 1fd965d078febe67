import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ObservedTrafficService } from './observed-traffic.service';
import { StaffObservedTrafficController } from './staff-observed-traffic.controller';
import { TrafficRecorder } from './traffic-recorder';

/** Observed traffic: recorded with each request, read by staff. */
@Module({
  imports: [DatabaseModule],
  controllers: [StaffObservedTrafficController],
  providers: [ObservedTrafficService, TrafficRecorder],
  exports: [TrafficRecorder],
})
export class ObservedTrafficModule {}
