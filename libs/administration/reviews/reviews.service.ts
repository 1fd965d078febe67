import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { DecidedItem } from '@app/database/reviews/review-item.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/common/public-id';
import { canCancelReview, whyNotReviewAgain, type RecordingGrade } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, type ChangeRequest, type Locked } from '../audit/locked-change';
import { ReviewRequests } from './review-requests';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { ManualGrades, reviewConflict, type ManualGrade } from './manual-grades.service';

/** Who changes the review of which voice, from which version of it and why. */
interface ReviewChange extends ChangeRequest {
  voiceId: string;
  reason: string;
}

const GRADE_OVERRIDDEN = 'voice.grade_overridden';

/** What staff do to the review of one voice. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly reviews: StaffReviewRepository,
    private readonly requests: ReviewRequests,
    private readonly grades: ManualGrades,
  ) {}

  /** Requests a new review, with a full set of attempts. */
  async reviewAgain(change: ReviewChange, { force }: { force: boolean }): Promise<void> {
    await this.make(change, 'voice.re_reviewed', async (voice, em) => {
      const obstacle = whyNotReviewAgain(voice.reviewState, { force });
      if (obstacle === 'pending')
        throw reviewConflict(voice.reviewState, 'Wait until it is done, or cancel it first.');
      if (obstacle === 'overridden')
        throw reviewConflict(
          'overridden',
          'Send it again with "force": true to throw away the grade a person gave.',
        );
      const generation = await this.start(voice, change, em);
      return { state: 'queued', generation };
    });
  }

  /** Puts a person's grade in the place of the verdict; the public fields follow. */
  async override(change: ReviewChange, decided: ManualGrade): Promise<void> {
    await this.make(change, GRADE_OVERRIDDEN, (voice, em) =>
      this.grades.override(voice, change.actor, decided, em),
    );
  }

  /**
   * Decides what the review desk has to decide about a voice, as a change: the grade that it has stays, or becomes another one.
   *
   * @param decided without a grade it stays
   * @param check once the voice is locked: throws when it is not this person's to decide, or no longer
   */
  deciding(
    change: ReviewChange,
    decided: Omit<ManualGrade, 'grade'> & { grade: RecordingGrade | null },
    check: (voice: Voice, em: EntityManager) => Promise<void>,
  ): ChangeWork {
    const lock = (em: EntityManager) => this.lock(change.voiceId, em);
    return changing(change, lock, async (voice, em) => {
      await check(voice, em);
      const grade = decided.grade ?? voice.recordingQuality;
      if (grade === null)
        throw reviewConflict(voice.reviewState, 'Only a voice that has a verdict can be decided.');
      const input = { ...decided, grade };
      await this.grades.requireResponse(voice.id, input, em);
      const before = describe(voice);
      if (grade !== voice.recordingQuality || decided.publicReason?.trim()) {
        const after = await this.grades.override(voice, change.actor, input, em);
        return { action: GRADE_OVERRIDDEN, before, after };
      }
      await this.grades.confirm(voice, change.actor, input, em);
      return { action: 'voice.grade_confirmed', before, after: before };
    });
  }

  /**
   * Undoes a decision of the review desk, as a change.
   *
   * @param reopen once the voice is locked: opens its item again, or throws
   */
  undoing(
    change: ReviewChange,
    { decision, replaced }: Pick<DecidedItem, 'decision' | 'replaced'>,
    reopen: (em: EntityManager) => Promise<void>,
  ): ChangeWork {
    const lock = (em: EntityManager) => this.lock(change.voiceId, em);
    return changing(change, lock, async (voice, em) => {
      const before = describe(voice);
      const isOverride = decision === 'overridden';
      if (decision !== 'seconded' && voice.reviewGeneration !== replaced.generation + (isOverride ? 1 : 0))
        throw undecidable(voice, 'it was reviewed or graded again since');
      await reopen(em);
      if (isOverride) await this.grades.restore(voice, change.actor, replaced, em);
      return { action: 'voice.decision_undone', before, after: { decision } };
    });
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
        throw reviewConflict(
          voice.reviewState,
          'Only a review that is under way or stalled can be cancelled.',
        );
      await this.reviews.markCancelled(voice, { cause: change.reason, actor: change.actor.name }, em);
      return { state: 'cancelled' };
    });
  }

  private async start(voice: Voice, { actor, reason }: ReviewChange, em: EntityManager): Promise<number> {
    const cause = { cause: `requested by staff: ${reason}`, actor: actor.name };
    return this.requests.again(voice, { ...cause, requestId: actor.requestId ?? '' }, em);
  }

  /** Changes the review of a voice; `change` returns what it is now, as the audit log says it. */
  private async make(
    request: ReviewChange,
    action: AuditAction,
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
    return {
      resource: voice,
      version,
      auditTarget: { type: 'voice', id: voiceId, accountId: voice.accountId },
    };
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

/** @throws DomainError that says why a decision about this voice stays */
export function undecidable({ id, name }: Pick<Voice, 'id' | 'name'>, cause: string): DomainError {
  return new DomainError('decision_final', { name, cause }, { param: id });
}

function deadLetterNotFound(voiceId: string): DomainError {
  return new DomainError('dead_letter_not_found', { voiceId }, { param: 'voice_id' });
}
