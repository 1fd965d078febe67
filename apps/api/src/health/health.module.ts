import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { Module } from '@nestjs/common';
import { Drain } from '../server/drain';
import { PublicHealthController } from './public-health.controller';

/** What load balancers and orchestrators read. */
@Module({
  imports: [DatabaseModule, OutboxModule],
  controllers: [PublicHealthController],
  providers: [Drain],
})
export class HealthModule {}
