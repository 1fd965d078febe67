import { AppConfig } from '@app/config/app-config';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import type { Review } from '@app/database/voices/review.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { whyForPeople } from '@app/domain/reviews/desk-reasons';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { WORKER_ACTOR } from '../worker-identity';

/** Writes a verdict with everything that follows from it. */
@Injectable()
export class VerdictWriter {
  constructor(
    private readonly voices: VoiceRepository,
    private readonly desk: ReviewItemRepository,
    private readonly webhooks: WebhookEvents,
    private readonly config: AppConfig,
  ) {}

  /** Stores the verdict, announces it, and puts the voice on the desk when a person should listen. False when it is fenced. */
  async write(
    token: string,
    to: 'completed' | 'rejected',
    review: Omit<Review, 'completedAt' | 'decidedBy'>,
    em: EntityManager,
  ): Promise<boolean> {
    if (!(await this.voices.markReviewed(token, to, review, WORKER_ACTOR, em))) return false;
    await this.webhooks.voiceReviewed(await this.voices.get(review.voiceId, em), em);
    const isSampled = randomInt(100) < this.config.reviewSamplePercent;
    await this.desk.renew(review.voiceId, whyForPeople(review, isSampled), em);
    return true;
  }
}
