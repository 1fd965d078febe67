import { DatabaseModule } from '@app/database/database.module';
import { OperationsModule } from '@app/operations/operations.module';
import { Module } from '@nestjs/common';
import { Drain } from '../server/drain';
import { PublicHealthController } from './public-health.controller';

/** What load balancers and orchestrators read. */
@Module({
  imports: [DatabaseModule, OperationsModule],
  controllers: [PublicHealthController],
  providers: [Drain],
})
export class HealthModule {}
