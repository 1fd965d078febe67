import { byStaff, type AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import { ReviewAppealRepository } from '@app/database/voices/review-appeal.repository';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { reviewConflict } from './manual-grades.service';

export interface RequestedAppeal {
  voiceId: string;
  /** What the customer says. */
  text: string;
}

/** Appeals against verdicts. Each is an item of the review desk, where a person answers it. */
@Injectable()
export class AppealsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly reviews: StaffReviewRepository,
    private readonly appeals: ReviewAppealRepository,
    private readonly items: ReviewItemRepository,
  ) {}

  /** Appeals for a customer who has written to staff. */
  async createFor(staff: Staff, requested: RequestedAppeal, reason: string): Promise<void> {
    await this.changes.make(this.appealing(byStaff(staff), requested, reason));
  }

  /** The latest appeal of a voice, or null. */
  async findLatest(voiceId: string): Promise<ReviewAppeal | null> {
    return this.appeals.findLatest(voiceId);
  }

  /** An appeal as a change. */
  appealing(
    actor: AuditActor,
    { voiceId, text }: RequestedAppeal,
    reason: string | null,
  ): ChangeWork<ReviewAppeal> {
    return async (em) => {
      const locked = isPublicId(voiceId) ? await this.reviews.lock(voiceId, em) : null;
      if (!locked) throw voiceNotFound(voiceId);
      const { generation, grade, ruleset } = await this.requireAppealable(locked.voice, em);
      const itemId = await this.items.open(voiceId, ['appeal'], em);
      const appeal = { voiceId, itemId, generation, ruleset, grade, text, madeBy: actor.name };
      const target = { type: 'voice', id: voiceId, accountId: locked.voice.accountId };
      const after = { appeal: text, recording_quality: grade };
      return {
        result: await this.appeals.insert(appeal, em),
        events: [{ actor, action: 'voice.appealed', target, after, reason }],
      };
    };
  }

  /** @throws DomainError when there is no verdict to appeal, or it was appealed before */
  private async requireAppealable({ id: voiceId, reviewState }: Voice, em: EntityManager) {
    const earlier = await this.appeals.findLatest(voiceId, em);
    if (earlier && !earlier.answeredAt) {
      const createdAt = earlier.createdAt.toISOString();
      throw new DomainError('appeal_open', { voiceId, createdAt }, { param: 'voice_id' });
    }
    const verdict = await this.reviews.findVerdict(voiceId, em);
    if (labellingStatusOf(reviewState) !== 'review_complete' || !verdict)
      throw reviewConflict(reviewState, 'Appeals are accepted once it has a verdict.');
    if (earlier?.generation === verdict.generation) {
      const said = { answeredAt: earlier.answeredAt!.toISOString(), answer: earlier.answer ?? '' };
      throw new DomainError('verdict_appealed', { voiceId, ...said }, { param: 'voice_id' });
    }
    const { generation, grade, decidedBy, ruleset } = verdict;
    return { generation, grade, ruleset: decidedBy === 'ruleset' ? ruleset : null };
  }
}
