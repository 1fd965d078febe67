import { OutboxModule } from '@app/queue/outbox.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { OutboxListener } from './outbox-listener';
import { OutboxRelay } from './outbox-relay';
import { RelayWakeSignal } from './relay-wake-signal';

/** The relay from the outbox to the queues. */
@Module({
  imports: [OutboxModule, QueueModule],
  providers: [OutboxListener, OutboxRelay, RelayWakeSignal],
  exports: [RelayWakeSignal],
})
export class RelayModule {}
