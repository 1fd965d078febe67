import { OutboxRepository } from '@app/queue/outbox.repository';
import { VoiceRepository, type PendingReview } from '@app/database/voices/voice.repository';
import { JobProducer } from '@app/queue/job-producer';
import { jobRow } from '@app/queue/jobs';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Loop, type Round } from '../loop';

/** When a review counts as abandoned, and how often it is started again. */
@Injectable()
export class SweepLimits {
  everyMs = 5_000;
  /** Longer than the deadline of a review. */
  idleSecs = 45;
  /** Generations in a row that lose their job before staff must look. */
  maxLostJobs = 5;
  batch = 100;
}

/** Cause of a generation that the sweeper starts. */
const JOB_LOST = 'job lost';
const ACTOR = 'sweeper';

/**
 * Finds reviews whose job was lost on the way (a queue without its data, a job that failed while the database was away, a
 * worker that died with it) and starts them again as a new generation. Sweepers of several workers do not get in each
 * other's way.
 */
@Injectable()
export class ReviewSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ReviewSweeper.name);
  private readonly loop: Loop;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly voices: VoiceRepository,
    private readonly outbox: OutboxRepository,
    private readonly jobs: JobProducer,
    private readonly limits: SweepLimits,
  ) {
    this.loop = new Loop(ReviewSweeper.name, () => this.sweep(), limits.everyMs);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /**
   * Sweeps one batch.
   *
   * @throws when the queue cannot be read: a job that is not seen is not a job that is lost
   */
  async sweep(): Promise<Round> {
    const abandoned = await this.voices.listAbandoned(this.limits.idleSecs, this.limits.batch);
    const candidates = abandoned.map((review) => ({ ...review, requestId: '' }));
    const lost = await Promise.all(candidates.map((review) => this.jobs.isLost(REVIEW_VOICE, review)));
    const waiting = candidates.filter((_, index) => !lost[index]);
    // A long queue is not a reason to start anything again.
    if (waiting.length > 0) await this.voices.touchReviews(waiting.map(({ voiceId }) => voiceId));
    for (const review of candidates.filter((_, index) => lost[index])) {
      if (await this.recover(review)) await this.jobs.remove(REVIEW_VOICE, review);
    }
    return candidates.length === this.limits.batch ? 'more' : 'idle';
  }

  /** False when another process has touched the review meanwhile. */
  private async recover(review: PendingReview): Promise<boolean> {
    return this.dataSource.transaction(async (em) => {
      const voice = await this.voices.lockAbandoned(review, this.limits.idleSecs, em);
      if (!voice) return false;
      const fields = { ...review, requestId: voice.requestId };
      const lostJobs = await this.voices.countGenerationsInARow(voice.id, JOB_LOST, em);
      if (
        lostJobs >= this.limits.maxLostJobs ||
        voice.reviewAttempts >= jobRow(REVIEW_VOICE).options.attempts
      ) {
        await this.voices.markStalled(voice, `${JOB_LOST}, after its last attempt`, ACTOR, em);
        this.logger.error(
          `Review failed after its last attempt: lost ${lostJobs} jobs, ${voice.reviewAttempts} attempts`,
          fields,
        );
        return true;
      }
      // Attempts continue to count: a recording that kills its worker must come to an end.
      const cause = { cause: JOB_LOST, actor: ACTOR };
      const generation = await this.voices.startGeneration(voice, voice.reviewAttempts, cause, em);
      const payload = { voiceId: voice.id, generation, requestId: voice.requestId };
      await this.outbox.enqueue(REVIEW_VOICE, payload, voice.id, em);
      this.logger.warn('Review started again: its job was lost', { ...fields, generation });
      return true;
    });
  }
}
