import type { AuditActor } from '../audit/audit-actors';
import { ReviewAppealRepository } from '@app/database/voices/review-appeal.repository';
import type { ReplacedVerdict } from '@app/database/reviews/review-item.repository';
import { closeReviewItem } from '@app/database/reviews/review-item.repository';
import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { canTransition, type RecordingGrade, type ReviewState } from '@app/domain/reviews/review-state';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SecondListenings } from './second-listenings.service';

export interface ManualGrade {
  grade: RecordingGrade;
  /** What the customer reads beside the grade. */
  publicReason?: string;
  /** What the customer reads in response to their appeal. */
  answer?: string;
  /** False when no person has listened for this grade, as for many at once. */
  listened?: boolean;
}

/** What customers read beside a grade that a person gave, unless that person says more. */
const UNEXPLAINED = 'graded by a person';

/** Grades that people give: the public fields follow, and an open appeal of the customer is answered with them. */
@Injectable()
export class ManualGrades {
  constructor(
    private readonly reviews: StaffReviewRepository,
    private readonly voices: VoiceRepository,
    private readonly appeals: ReviewAppealRepository,
    private readonly webhooks: WebhookEvents,
    private readonly seconds: SecondListenings,
  ) {}

  /** Puts a person's grade in the place of the verdict. Returns what the audit log says of it. */
  async override(voice: Voice, actor: AuditActor, decided: ManualGrade, em: EntityManager): Promise<object> {
    requireVerdict(voice);
    const { grade, publicReason } = decided;
    const reason = `manual: ${publicReason?.trim() || UNEXPLAINED}`;
    const isOverride = grade !== voice.recordingQuality;
    if (decided.listened !== false)
      await this.seconds.noteFirst(actor, { voiceId: voice.id, grade, isOverride }, em);
    await this.reviews.markOverridden(voice, { grade, reason }, actor.name, em);
    await this.webhooks.voiceReviewed(await this.voices.get(voice.id, em), em);
    await this.respondToAppeal(voice, actor.name, decided, em);
    return { state: 'overridden', recording_quality: grade, recording_quality_reason: reason };
  }

  /** Keeps the grade that the voice has. */
  async confirm(voice: Voice, actor: AuditActor, decided: ManualGrade, em: EntityManager): Promise<void> {
    requireVerdict(voice);
    const { grade } = decided;
    if (decided.listened !== false)
      await this.seconds.noteFirst(actor, { voiceId: voice.id, grade, isOverride: false }, em);
    await closeReviewItem(voice.id, { by: actor.name, decision: 'confirmed', grade }, em);
    await this.respondToAppeal(voice, actor.name, decided, em);
  }

  /** Puts the verdict back that a grade of a person has replaced. */
  async restore(
    voice: Voice,
    actor: AuditActor,
    replaced: ReplacedVerdict,
    em: EntityManager,
  ): Promise<void> {
    await this.reviews.restore(voice, replaced, actor.name, em);
    await this.webhooks.voiceReviewed(await this.voices.get(voice.id, em), em);
  }

  /** @throws InvalidInput when the customer waits for an answer and would get none */
  async requireResponse(voiceId: string, { answer }: ManualGrade, em: EntityManager): Promise<void> {
    if (answer?.trim() || !(await this.appeals.findOpen(voiceId, em))) return;
    const msg =
      'The customer has appealed against this grade: say in 1 to 500 characters what they read in response';
    throw new InvalidInput([{ type: 'missing', path: ['answer'], msg, input: answer ?? null }]);
  }

  private async respondToAppeal(
    voice: Voice,
    by: string,
    { grade, publicReason, answer }: ManualGrade,
    em: EntityManager,
  ): Promise<void> {
    const appeal = await this.appeals.findOpen(voice.id, em);
    if (!appeal) return;
    if (appeal.madeBy === by) throw new DomainError('appeal_is_own', { name: voice.name });
    const outcome = grade === appeal.grade ? 'grade_kept' : 'grade_changed';
    const text = answer?.trim() || publicReason?.trim() || UNEXPLAINED;
    await this.appeals.answer(appeal.id, { outcome, answer: text, grade, by }, em);
    const answered = await this.appeals.findLatest(voice.id, em);
    await this.webhooks.appealAnswered(voice, answered!, em);
  }
}

function requireVerdict({ reviewState }: Voice): void {
  if (!canTransition(reviewState, 'overridden'))
    throw reviewConflict(reviewState, 'Only a voice that has a verdict can be given another grade.');
}

/** The refusal of what the state of a review does not allow, with what to do instead. */
export function reviewConflict(state: ReviewState, advice: string): DomainError {
  return new DomainError('review_state_conflict', { state: state.replace('_', ' '), advice });
}
