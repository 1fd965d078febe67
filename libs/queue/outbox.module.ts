import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository';
import { ReviewTurnsRepository } from './review-turns.repository';

/** The outbox, in which a transaction leaves its jobs. */
@Module({
  imports: [DatabaseModule],
  providers: [OutboxRepository, ReviewTurnsRepository],
  exports: [OutboxRepository, ReviewTurnsRepository],
})
export class OutboxModule {}
