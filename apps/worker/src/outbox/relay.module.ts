import { OutboxModule } from '@app/queue/outbox.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { OutboxListener } from './outbox-listener';
import { OutboxRelay } from './outbox-relay';
import { RelayBell } from './relay-bell';

/** The relay from the outbox to the queues. */
@Module({
  imports: [OutboxModule, QueueModule],
  providers: [OutboxListener, OutboxRelay, RelayBell],
  exports: [RelayBell],
})
export class RelayModule {}
