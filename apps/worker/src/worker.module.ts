import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { DatabaseModule } from '@app/database/database.module';
import { JobHandlers } from '@app/queue/job-handler';
import { OperationsModule } from '@app/operations/operations.module';
import { QueueModule } from '@app/queue/queue.module';
import { TracingEnd } from '@app/telemetry/tracing';
import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AlertWatchModule } from './alerts/alert-watch.module';
import { HealthServer } from './health/health-server';
import { DeliveriesModule } from './deliveries/deliveries.module';
import { HousekeepingModule } from './housekeeping/housekeeping.module';
import { QueueWatch } from './housekeeping/queue-watch';
import { StartCheck } from './housekeeping/start-check';
import { WorkerHeartbeat } from './housekeeping/worker-heartbeat';
import { RelayModule } from './outbox/relay.module';
import { Poller, TIMED_TASKS, TIMETABLE } from './poller';
import { ReviewModule } from './review/review.module';
import { WorkerMetrics } from './telemetry/worker-metrics';
import { TimerControl } from './timers/timer-control';
import { TimerLog } from './timers/timer-log';
import { PauseCommands } from './timers/pause-commands';
import { QuietCommand } from './timers/quiet-command';
import { WorkerCommands } from './timers/worker-commands';
import { WorkerIdentity } from './worker-identity';

/** The worker: what it does is in the modules of its rooms, and the process around them here. */
@Module({})
export class WorkerModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.connect('greenroom-worker'),
        QueueModule.connect(),
        AlertWatchModule,
        DatabaseModule,
        DeliveriesModule,
        DiscoveryModule,
        HousekeepingModule,
        OperationsModule,
        QueueModule,
        RelayModule,
        ReviewModule,
      ],
      providers: [
        HealthServer,
        JobHandlers,
        PauseCommands,
        Poller,
        QueueWatch,
        QuietCommand,
        StartCheck,
        TimerControl,
        TimerLog,
        { provide: TIMETABLE, useValue: TIMED_TASKS },
        TracingEnd,
        WorkerHeartbeat,
        WorkerIdentity,
        WorkerMetrics,
        WorkerCommands,
      ],
    };
  }
}
