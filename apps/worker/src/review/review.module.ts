import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { RecordingGrader } from '@app/audio/threads/recording-grader';
import { AppConfig } from '@app/config/app-config';
import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { QueueModule } from '@app/queue/queue.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { RelayModule } from '../outbox/relay.module';
import { ReviewSweeper, SweepLimits } from './review-sweeper';
import { ReviewProcessor } from './review.processor';
import { ReviewService } from './review.service';
import { SameRecordings } from './same-recordings';
import { SampleReviews } from './sample-reviews';
import { VerdictWriter } from './verdict-writer';

/** Reviews of voices. */
@Module({
  imports: [
    AdministrationModule,
    AudioStoreModule,
    DatabaseModule,
    OutboxModule,
    QueueModule,
    RelayModule,
    WebhookEventsModule,
  ],
  providers: [
    {
      provide: RecordingGrader,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => {
        const {
          workerConcurrency: threads,
          dnsmosModelPath,
          speakerModelPath,
          ffmpegPath,
          reviewRuleset: ruleset,
        } = config;
        return RecordingGrader.open({ threads, dnsmosModelPath, speakerModelPath, ffmpegPath, ruleset });
      },
    },
    ReviewProcessor,
    ReviewService,
    ReviewSweeper,
    SameRecordings,
    SampleReviews,
    SweepLimits,
    VerdictWriter,
  ],
  exports: [ReviewService],
})
export class ReviewModule {}
