import type { Voice } from '@app/database/voices/voice.entity';
import { closeReviewItem } from '@app/database/reviews/review-item.repository';
import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/common/public-id';
import {
  canCancelReview,
  canTransition,
  whyNotReviewAgain,
  type RecordingGrade,
  type ReviewState,
} from '@app/domain/reviews/review-state';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '@app/administration/audit/audit-actors';
import {
  AuditedChanges,
  changing,
  type ChangeRequest,
  type Locked,
} from '@app/administration/audit/audited-changes';
import { ReviewRequests } from '../voices/review-requests';
import { voiceNotFound } from '../voices/voices.service';

/** Who changes the review of which voice, from which version of it and why. */
interface ReviewChange extends ChangeRequest {
  voiceId: string;
  reason: string;
}

interface ManualGrade {
  grade: RecordingGrade;
  /** What the customer reads. */
  publicReason?: string;
}

const GRADE_OVERRIDDEN = 'voice.grade_overridden';

/** What customers read beside a grade that a person gave, unless that person says more. */
const UNEXPLAINED = 'graded by a person';

/** What staff do to the review of one voice. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly reviews: StaffReviewRepository,
    private readonly voices: VoiceRepository,
    private readonly requests: ReviewRequests,
    private readonly webhooks: WebhookEvents,
  ) {}

  /** Requests a new review, with a full set of attempts. */
  async reviewAgain(change: ReviewChange, { force }: { force: boolean }): Promise<void> {
    await this.make(change, 'voice.re_reviewed', async (voice, em) => {
      const obstacle = whyNotReviewAgain(voice.reviewState, { force });
      if (obstacle === 'pending')
        throw conflict(voice.reviewState, 'Wait until it is done, or cancel it first.');
      if (obstacle === 'overridden')
        throw conflict(
          'overridden',
          'Send it again with "force": true to throw away the grade a person gave.',
        );
      const generation = await this.start(voice, change, em);
      return { state: 'queued', generation };
    });
  }

  /** Puts a person's grade in the place of the verdict; the public fields follow. */
  async override(change: ReviewChange, decided: ManualGrade): Promise<void> {
    await this.make(change, GRADE_OVERRIDDEN, (voice, em) => this.setGrade(voice, change, decided, em));
  }

  /**
   * Decides what the review desk asked about a voice: the grade that it has stays, or becomes another one.
   *
   * @param check in the same transaction, once the voice is locked: throws when it is no longer this person's to decide
   */
  async decide(
    change: ReviewChange,
    decided: ManualGrade,
    check: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    const lock = (em: EntityManager) => this.lock(change.voiceId, em);
    const work = changing(change, lock, async (voice, em) => {
      await check(em);
      const before = describe(voice);
      if (decided.grade !== voice.recordingQuality || decided.publicReason?.trim()) {
        const after = await this.setGrade(voice, change, decided, em);
        return { action: GRADE_OVERRIDDEN, before, after };
      }
      requireVerdict(voice);
      const { grade } = decided;
      await closeReviewItem(voice.id, { by: change.actor.name, decision: 'confirmed', grade }, em);
      return { action: 'voice.grade_confirmed', before, after: before };
    });
    await this.changes.make(work);
  }

  /** Tries a dead letter again, with a full set of attempts. Returns the new generation. */
  async retryDeadLetter(actor: AuditActor, voiceId: string, reason: string): Promise<number> {
    let generation = 0;
    const change: ReviewChange = { actor, voiceId, expected: 'any', reason };
    await this.make(change, 'dead_letter.retried', async (voice, em) => {
      if (voice.reviewState !== 'stalled') throw deadLetterNotFound(voiceId);
      generation = await this.start(voice, change, em);
      return { state: 'queued', generation };
    });
    return generation;
  }

  /** Gives a pending review up. A grade from before stays. */
  async cancel(change: ReviewChange): Promise<void> {
    await this.make(change, 'voice.review_cancelled', async (voice, em) => {
      if (!canCancelReview(voice.reviewState))
        throw conflict(voice.reviewState, 'Only a review that is under way or stalled can be cancelled.');
      await this.reviews.markCancelled(voice, { cause: change.reason, actor: change.actor.name }, em);
      return { state: 'cancelled' };
    });
  }

  private async setGrade(
    voice: Voice,
    { actor }: ReviewChange,
    { grade, publicReason }: ManualGrade,
    em: EntityManager,
  ): Promise<object> {
    requireVerdict(voice);
    const reason = `manual: ${publicReason?.trim() || UNEXPLAINED}`;
    await this.reviews.markOverridden(voice, { grade, reason }, actor.name, em);
    await this.webhooks.voiceReviewed(await this.voices.get(voice.id, em), em);
    return { state: 'overridden', recording_quality: grade, recording_quality_reason: reason };
  }

  private async start(voice: Voice, { actor, reason }: ReviewChange, em: EntityManager): Promise<number> {
    const cause = { cause: `requested by staff: ${reason}`, actor: actor.name };
    return this.requests.again(voice, { ...cause, requestId: actor.requestId ?? '' }, em);
  }

  /** Changes the review of a voice; `change` returns what it is now, as the audit log says it. */
  private async make(
    request: ReviewChange,
    action: string,
    change: (voice: Voice, em: EntityManager) => Promise<object>,
  ): Promise<void> {
    const lock = (em: EntityManager) => this.lock(request.voiceId, em);
    const work = changing(request, lock, async (voice, em) => {
      const before = describe(voice);
      return { action, before, after: await change(voice, em) };
    });
    await this.changes.make(work);
  }

  private async lock(voiceId: string, em: EntityManager): Promise<Locked<Voice>> {
    const found = isPublicId(voiceId) ? await this.reviews.lock(voiceId, em) : null;
    if (!found) throw voiceNotFound(voiceId);
    const { voice, version } = found;
    return { thing: voice, version, auditTarget: { type: 'voice', id: voiceId, accountId: voice.accountId } };
  }
}

function describe(voice: Voice): object {
  return {
    state: voice.reviewState,
    generation: voice.reviewGeneration,
    recording_quality: voice.recordingQuality,
    recording_quality_reason: voice.recordingQualityReason,
  };
}

function requireVerdict({ reviewState }: Voice): void {
  if (!canTransition(reviewState, 'overridden'))
    throw conflict(reviewState, 'Only a voice that has a verdict can be given another grade.');
}

function deadLetterNotFound(voiceId: string): DomainError {
  return new DomainError('dead_letter_not_found', { voiceId }, { param: 'voice_id' });
}

function conflict(state: ReviewState, advice: string): DomainError {
  return new DomainError('review_state_conflict', { state: state.replace('_', ' '), advice });
}
