import { DatabaseModule } from '@app/database/database.module';
import { OperationsModule } from '@app/operations/operations.module';
import { Module } from '@nestjs/common';
import { Drain } from '../server/drain';
import { StaffModule } from '../staff/staff.module';
import { PublicHealthController } from './public-health.controller';
import { StaffChecksController } from './staff-checks.controller';

/** What load balancers, orchestrators and operators read. */
@Module({
  imports: [DatabaseModule, OperationsModule, StaffModule],
  controllers: [PublicHealthController, StaffChecksController],
  providers: [Drain],
})
export class HealthModule {}
