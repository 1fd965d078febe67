import { AppConfig } from '@app/config/app-config';
import { RepeatedWarnings } from '@app/connections/repeated-warnings';
import { connectRedis, type RedisTarget } from '@app/connections/redis-client';
import { tracing } from '@app/telemetry/tracing';
import { BullModule } from '@nestjs/bullmq';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import {
  createIORedisClient,
  Queue,
  RedisConnection,
  setDefaultBackendFactory,
  type QueueOptions,
} from 'bullmq';
import { JobProducer } from './job-producer';
import { QUEUE_NAMES } from './jobs';
import { openBackend, QUEUE_PREFIX, queueConnection } from './queue-connection';

/** A Queue that can lose its connection: it logs that (unheard, the error would be reported as unhandled), and can still be closed. */
class LoggedQueue extends Queue {
  constructor(name: string, options: QueueOptions) {
    super(name, options);
    const logger = new Logger('Queue');
    const warnings = new RepeatedWarnings((message) => logger.warn(message));
    this.on('error', (error) => warnings.warn(`${name}: ${error.message}`));
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } catch {
      // A polite end fails while Redis is away; otherwise the client would connect again for ever. Not awaited: the
      // end of a connection that does not exist is never reported. It fails when an attempt to connect is refused meanwhile.
      this.disconnect().catch(() => undefined);
    }
  }
}

// All three are process-wide and must be set before the first queue is registered.
setDefaultBackendFactory(openBackend);
RedisConnection.clientFactory = (options) => createIORedisClient(connectRedis(options as RedisTarget));
BullModule.queueClass = LoggedQueue;
const queues = BullModule.registerQueue(...QUEUE_NAMES.map((name) => ({ name })));

/**
 * Every queue of the job table. Inject a queue with `@InjectQueue(name)`. The root module of a process imports
 * `QueueModule.connect` once.
 */
@Module({ imports: [queues], providers: [JobProducer], exports: [queues, JobProducer] })
export class QueueModule {
  /** BullMQ on Redis or on PostgreSQL, as configured. */
  static connect(): DynamicModule {
    return BullModule.forRootAsync({
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({
        connection: queueConnection(config),
        prefix: QUEUE_PREFIX,
        telemetry: tracing()?.ofQueues,
      }),
    });
  }
}
