import { AppConfig } from '@app/config/app-config';
import { JobHandler } from '@app/queue/job-handler';
import { VOICE_REVIEW_QUEUE, type ReviewVoicePayload } from '@app/queue/jobs';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { Processor } from '@nestjs/bullmq';
import { RelayWakeSignal } from '../outbox/relay-wake-signal';
import { ReviewService, type ReviewOutcome } from './review.service';

/** Takes review jobs. A worker that dies is noticed after 10 to 15 s and another worker gets its jobs. */
@Processor(VOICE_REVIEW_QUEUE, {
  autorun: false,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
})
export class ReviewProcessor extends JobHandler<typeof REVIEW_VOICE> {
  readonly jobName = REVIEW_VOICE;
  readonly concurrency: number;
  /** Most reviews end within it; the others are handed back with what has been measured. */
  readonly stopGraceMs = 3_000;

  constructor(
    { workerConcurrency }: AppConfig,
    private readonly reviews: ReviewService,
    private readonly wakeSignal: RelayWakeSignal,
  ) {
    super();
    this.concurrency = workerConcurrency;
  }

  protected async handle(
    payload: ReviewVoicePayload,
    signal: AbortSignal,
    nextStep: () => void,
  ): Promise<ReviewOutcome> {
    try {
      return await this.reviews.reviewVoice(payload, signal, nextStep);
    } finally {
      this.wakeSignal.wake();
    }
  }
}
