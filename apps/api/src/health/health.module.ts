import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { Drain } from '../server/drain';
import { PublicHealthController } from './public-health.controller';

/** What load balancers and orchestrators read. */
@Module({
  imports: [DatabaseModule],
  controllers: [PublicHealthController],
  providers: [Drain],
})
export class HealthModule {}
