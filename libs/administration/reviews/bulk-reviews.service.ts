import type { AuditAction } from '@app/domain/audit/audit-actions';
import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import type { StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import { StaffVoiceRepository } from '@app/database/voices/staff-voice.repository';
import { DomainError } from '@app/domain/errors';
import { SETTLED_STATES, type ReviewState } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditActor } from '../audit/audit-actors';
import { toBatchEvents } from '../audit/batch-events';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditEntry } from '../audit/audit-log';

/** Voices of one change: what a transaction can still hold. */
const MAX_VOICES = 10_000;

interface ReviewMany {
  /** Also voices that a person has graded. */
  force: boolean;
  reason: string;
  /** The number of voices that the staff member has read and typed. */
  confirm: string;
}

export interface ChangedReviews {
  /** Of the change, which its audit events have as their target. */
  id: string;
  count: number;
}

/** Changes of the reviews of every voice that matches a filter. */
@Injectable()
export class BulkReviewsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly search: StaffVoiceRepository,
    private readonly reviews: StaffReviewRepository,
  ) {}

  /** How many voices would be changed: those that match and are not under review. */
  async count(filter: StaffVoiceFilter, force: boolean): Promise<number> {
    const count = await this.search.count(settled(filter, force), MAX_VOICES + 1);
    if (count > MAX_VOICES) throw tooMany();
    return count;
  }

  /** Starts new reviews, behind those that customers wait for, if they are still as many as were confirmed; else none. */
  async start(
    actor: AuditActor,
    filter: StaffVoiceFilter,
    change: ReviewMany,
    action: AuditAction = 'voices.re_reviewed',
  ): Promise<ChangedReviews> {
    const cause = { cause: `requested by staff: ${change.reason}`, actor: actor.name };
    return this.make(actor, filter, change, action, (settledOnes, em) =>
      this.reviews.startGenerations(settledOnes, cause, MAX_VOICES + 1, em),
    );
  }

  /** Cancels the reviews of dead letters, if they are still as many as were confirmed; else none. */
  async removeDeadLetters(
    actor: AuditActor,
    filter: StaffVoiceFilter,
    { reason, confirm }: Omit<ReviewMany, 'force'>,
  ): Promise<ChangedReviews> {
    const dead: StaffVoiceFilter = { ...filter, states: ['stalled'] };
    const cause = { cause: `removed by staff: ${reason}`, actor: actor.name };
    const change = { force: false, reason, confirm };
    return this.make(actor, dead, change, 'dead_letters.removed', (settledOnes, em) =>
      this.reviews.cancelReviews(settledOnes, cause, MAX_VOICES + 1, em),
    );
  }

  private async make(
    actor: AuditActor,
    filter: StaffVoiceFilter,
    { force, reason, confirm }: ReviewMany,
    action: AuditAction,
    change: (settledOnes: StaffVoiceFilter, em: EntityManager) => Promise<string[]>,
  ): Promise<ChangedReviews> {
    const { result } = await this.changes.make(async (em) => {
      const ids = await change(settled(filter, force), em);
      if (ids.length > MAX_VOICES) throw tooMany();
      if (String(ids.length) !== confirm.trim()) {
        const params = { count: ids.length, confirmed: confirm.trim().slice(0, 20) };
        throw new DomainError('selection_changed', params, { param: 'confirm' });
      }
      const id = randomUUID();
      const target = { type: 'voices', id, accountId: filter.accountId };
      const entry: AuditEntry = { actor, action, target, after: { filter, force }, reason };
      return { result: { id, count: ids.length }, events: toBatchEvents(ids, entry, 'voice_ids') };
    });
    return result;
  }
}

/** The part of a filter from which a new review may start. */
function settled(filter: StaffVoiceFilter, force: boolean): StaffVoiceFilter {
  const allowed: readonly ReviewState[] = force ? [...SETTLED_STATES, 'overridden'] : SETTLED_STATES;
  return { ...filter, states: allowed.filter((state) => filter.states?.includes(state) ?? true) };
}

function tooMany(): DomainError {
  const reason = `More than ${MAX_VOICES} voices match; no more can be changed at once. Narrow the filter.`;
  return new DomainError('invalid_parameters', { reason });
}
