import { RecordingGrader } from '@app/audio/threads/recording-grader';
import { AUDIO_STORE_PROVIDER } from '@app/audio-store/audio-store.provider';
import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { CreditLedger } from '@app/credits/credit-ledger';
import { DatabaseModule } from '@app/database/database.module';
import { PostgresLimitStore } from '@app/limits/postgres-limit-store';
import { JobHandlers } from '@app/queue/job-handler';
import { QueueModule } from '@app/queue/queue.module';
import { TracingEnd } from '@app/telemetry/tracing';
import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HoldExpiry } from './housekeeping/hold-expiry';
import { AbandonedPreviews } from './housekeeping/abandoned-previews';
import { HealthServer } from './health/health-server';
import { LimitExpiry } from './housekeeping/limit-expiry';
import { PreviewExpiry } from './housekeeping/preview-expiry';
import { QueueWatch } from './housekeeping/queue-watch';
import { ReviewSweeper, SweepLimits } from './review/review-sweeper';
import { StartCheck } from './housekeeping/start-check';
import { WorkerHeartbeat } from './housekeeping/worker-heartbeat';
import { OutboxRelay } from './outbox/outbox-relay';
import { ReviewProcessor } from './review/review.processor';
import { ReviewService } from './review/review.service';
import { WorkerMetrics } from './telemetry/worker-metrics';
import { WEBHOOK_PROVIDERS } from './webhooks/webhook.providers';

@Module({})
export class WorkerModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot('greenroom-worker'),
        QueueModule.forRoot(),
        DiscoveryModule,
      ],
      providers: [
        ...WEBHOOK_PROVIDERS,
        AbandonedPreviews,
        AUDIO_STORE_PROVIDER,
        {
          provide: RecordingGrader,
          useFactory: () => {
            const { workerConcurrency: threads, dnsmosModelPath } = config;
            return RecordingGrader.open({ threads, dnsmosModelPath });
          },
        },
        HoldExpiry,
        CreditLedger,
        HealthServer,
        JobHandlers,
        LimitExpiry,
        OutboxRelay,
        PostgresLimitStore,
        PreviewExpiry,
        QueueWatch,
        ReviewProcessor,
        ReviewService,
        ReviewSweeper,
        StartCheck,
        SweepLimits,
        TracingEnd,
        WorkerHeartbeat,
        WorkerMetrics,
      ],
    };
  }
}
