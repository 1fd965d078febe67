import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository';

/** The outbox, in which a transaction leaves its jobs. */
@Module({
  imports: [DatabaseModule],
  providers: [OutboxRepository],
  exports: [OutboxRepository],
})
export class OutboxModule {}
