import { StaffReviewRepository } from '@app/database/reviews/staff-review.repository';
import type { StaffVoiceFilter } from '@app/database/reviews/staff-voice-filter';
import { StaffVoiceRepository } from '@app/database/reviews/staff-voice.repository';
import { DomainError } from '@app/domain/errors';
import { SETTLED_STATES, type ReviewState } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import type { AuditActor } from '@app/administration/audit/audit-actors';
import { toBatchEvents } from '@app/administration/audit/batch-events';

/** Voices of one change: what a transaction can still hold. */
const MAX_VOICES = 10_000;

interface ReviewMany {
  /** Also voices that a person has graded. */
  force: boolean;
  reason: string;
  /** The number of voices that the staff member has read and typed. */
  confirm: string;
}

/** New reviews of every voice that matches a filter, behind the reviews that customers wait for. */
@Injectable()
export class BulkReviewsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly search: StaffVoiceRepository,
    private readonly reviews: StaffReviewRepository,
  ) {}

  /** How many voices would be reviewed again: those that match and are not under review. */
  async count(filter: StaffVoiceFilter, force: boolean): Promise<number> {
    const count = await this.search.count(settled(filter, force), MAX_VOICES + 1);
    if (count > MAX_VOICES) throw tooMany();
    return count;
  }

  /** Starts them, if they are still as many as were confirmed; else none. */
  async start(
    actor: AuditActor,
    filter: StaffVoiceFilter,
    { force, reason, confirm }: ReviewMany,
    action = 'voices.re_reviewed',
  ): Promise<number> {
    const { result } = await this.changes.make(async (em) => {
      const cause = { cause: `requested by staff: ${reason}`, actor: actor.name };
      const ids = await this.reviews.startGenerations(settled(filter, force), cause, MAX_VOICES + 1, em);
      if (ids.length > MAX_VOICES) throw tooMany();
      if (String(ids.length) !== confirm.trim()) {
        const params = { count: ids.length, confirmed: confirm.trim().slice(0, 20) };
        throw new DomainError('selection_changed', params, { param: 'confirm' });
      }
      const entry = {
        actor,
        action,
        target: { type: 'voices', accountId: filter.accountId },
        after: { filter, force },
        reason,
      };
      return { result: ids.length, events: toBatchEvents(ids, entry, 'voice_ids') };
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
