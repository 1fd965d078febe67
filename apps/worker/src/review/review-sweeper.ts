import { OutboxRepository } from '@app/queue/outbox.repository';
import { VoiceRepository, type PendingReview } from '@app/database/voices/voice.repository';
import { JobProducer } from '@app/queue/job-producer';
import { jobRow } from '@app/queue/jobs';
import { JOB_LOST, REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Round } from '../loop';
import { sweepLostJobs } from '../sweep-lost-jobs';

/** When a review counts as abandoned, and how many jobs it may lose. */
@Injectable()
export class SweepLimits {
  /** Longer than the deadline of a sample: after each, the attempt renews its claim. */
  idleSecs = 45;
  /** Generations in a row that lose their job before staff must look. */
  maxLostJobs = 5;
  batch = 100;
}

const ACTOR = 'sweeper';

/**
 * Finds reviews whose job was lost on the way (a queue without its data, a job that failed while the database was away, a
 * worker that died with it) and starts them again as a new generation. Sweepers of several workers do not get in each
 * other's way.
 */
@Injectable()
export class ReviewSweeper {
  private readonly logger = new Logger(ReviewSweeper.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly voices: VoiceRepository,
    private readonly outbox: OutboxRepository,
    private readonly jobs: JobProducer,
    private readonly limits: SweepLimits,
  ) {}

  /** Sweeps one batch. */
  async sweep(): Promise<Round> {
    const { idleSecs, batch } = this.limits;
    return sweepLostJobs(this.jobs, {
      name: REVIEW_VOICE,
      batch,
      listOverdue: async () =>
        (await this.voices.listAbandoned(idleSecs, batch)).map((review) => ({ ...review, requestId: '' })),
      touch: (waiting) => this.voices.touchReviews(waiting.map(({ voiceId }) => voiceId)),
      recover: (lost) => this.recover(lost),
    });
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
