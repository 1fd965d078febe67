import { byStaff } from '../audit/audit-actors';
import { AuditedChanges, inOrder, type ChangeWork } from '../audit/audited-changes';
import { ListeningRepository } from '@app/database/reviews/listening.repository';
import { ReviewAppealRepository } from '@app/database/voices/review-appeal.repository';
import { ReviewItemRepository, type DeskItem } from '@app/database/reviews/review-item.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { ManualGrade } from './manual-grades.service';
import { ReviewsService, undecidable } from './reviews.service';
import { alreadyDecided, itemNotFound, taken } from './desk-refusals';
import type { AuditEntry } from '../audit/audit-log';

/** How long a decision can be undone. */
const UNDO_MINUTES = 10;

const WHY_NOT_OPENED = {
  waiting: 'the voice waits at the desk again',
  seconded: 'a second person has listened to it since',
};

export interface DeskDecisionRequest extends Omit<ManualGrade, 'listened'> {
  reason: string;
  /** The reason says what the decision rests on instead of the recording. */
  unheard: boolean;
}

export interface ManyDecisionsRequest {
  itemIds: string[];
  /** Null when each keeps its own. */
  grade: RecordingGrade | null;
  publicReason?: string;
  reason: string;
}

/** What people decide at the review desk, one by one or many at once, and how they undo it. */
@Injectable()
export class DeskDecisions {
  constructor(
    private readonly items: ReviewItemRepository,
    private readonly listenings: ListeningRepository,
    private readonly appeals: ReviewAppealRepository,
    private readonly reviews: ReviewsService,
    private readonly changes: AuditedChanges,
  ) {}

  /** Keeps the grade of the voice or gives it another one. Only who has the item may. */
  async decide(
    staff: Staff,
    item: DeskItem,
    { reason, unheard, ...decided }: DeskDecisionRequest,
  ): Promise<void> {
    if (item.firstListening !== null) return this.second(staff, item, { reason, ...decided });
    const listened = await this.requireHeard(staff, item, unheard);
    const change = { actor: byStaff(staff), voiceId: item.voiceId, expected: 'any', reason } as const;
    const batch = { id: randomUUID(), staffId: staff.id };
    const work = this.reviews.deciding(change, { ...decided, listened }, async (voice, em) => {
      await this.requireTaken(staff, item.id, em);
      await this.items.noteReplaced(item.id, batch, toReplaced(voice), em);
    });
    await this.changes.make(work);
  }

  /** Decides several items that no one else has taken: all of them or none. They do not count as listenings. */
  async decideMany(staff: Staff, { itemIds, reason, ...decided }: ManyDecisionsRequest): Promise<void> {
    const batch = { id: randomUUID(), staffId: staff.id };
    const found = await Promise.all([...new Set(itemIds)].map((id) => this.get(id)));
    // In one order, so that two who decide the same voices do not wait for each other.
    const items = found.sort((a, b) => (a.voiceId < b.voiceId ? -1 : 1));
    const works = items.map(({ id, voiceId }) => {
      const change = { actor: byStaff(staff), voiceId, expected: 'any', reason } as const;
      return this.reviews.deciding(change, { ...decided, listened: false }, async (voice, em) => {
        await this.requireForMany(staff, id, em);
        await this.items.noteReplaced(id, batch, toReplaced(voice), em);
      });
    });
    await this.changes.make(inOrder(works));
  }

  /** Undoes what this person has decided last, all that they decided together; returns the ids of the items. */
  async undo(staff: Staff): Promise<string[]> {
    const { result } = await this.changes.make(async (em) => {
      const decided = await this.items.listLastDecided(staff.id, UNDO_MINUTES, em);
      if (decided.length === 0) throw new DomainError('nothing_to_undo', { minutes: UNDO_MINUTES });
      const works = decided.map((item): ChangeWork => {
        const change = {
          actor: byStaff(staff),
          voiceId: item.voiceId,
          expected: 'any',
          reason: 'undone',
        } as const;
        return this.reviews.undoing(change, item, (work) => this.reopen(staff, item.id, work));
      });
      return { ...(await inOrder(works)(em)), result: decided.map(({ id }) => id) };
    });
    return result;
  }

  private async reopen(staff: Staff, itemId: string, em: EntityManager): Promise<void> {
    const item = (await this.items.find(itemId, em))!;
    const voice = { id: item.voiceId, name: item.voiceName };
    const appeal = await this.appeals.findOfItem(itemId, em);
    if (appeal?.answeredAt) throw undecidable(voice, 'the customer was answered');
    const obstacle = await this.items.reopen(itemId, staff.id, em);
    if (obstacle) throw undecidable(voice, WHY_NOT_OPENED[obstacle]);
  }

  /** Keeps the grade of a second listener beside that of the first. The voice keeps its own. */
  private async second(
    staff: Staff,
    { id: itemId, ...waiting }: DeskItem,
    { grade, publicReason, answer, reason }: Omit<DeskDecisionRequest, 'unheard'>,
  ): Promise<void> {
    if (publicReason?.trim() || answer?.trim()) throw nothingToRead(publicReason ?? answer);
    await this.requireHeard(staff, waiting, false);
    await this.changes.make(async (em) => {
      const item = await this.requireTaken(staff, itemId, em);
      const { voiceId, accountId, firstListening: firstId } = item;
      const batch = { id: randomUUID(), staffId: staff.id };
      await this.items.noteReplaced(itemId, batch, { generation: 0, state: item.state }, em);
      await this.listenings.insert({ voiceId, grade, firstId, staffId: staff.id }, em);
      await this.items.markSeconded(itemId, { by: staff.email, grade }, em);
      const target = { type: 'voice', id: voiceId, accountId };
      const event: AuditEntry = {
        actor: byStaff(staff),
        action: 'voice.second_listened',
        target,
        after: { grade },
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }

  /** Whether this person has played the recording, which nothing but the reason of the decision stands in for. */
  private async requireHeard(
    staff: Staff,
    { voiceId, voiceName: name }: Pick<DeskItem, 'voiceId' | 'voiceName'>,
    unheard: boolean,
  ): Promise<boolean> {
    const heard = await this.listenings.hasPlayed(staff.id, voiceId);
    if (!heard && !unheard) throw new DomainError('recording_not_played', { name });
    return heard;
  }

  /** An open item that this person has taken last, locked. */
  private async requireTaken(staff: Staff, itemId: string, em: EntityManager): Promise<DeskItem> {
    const { item, takenBy } = await this.lockOpen(itemId, em);
    if (takenBy !== staff.id) throw notTaken(item);
    return item;
  }

  /** @throws DomainError for an item that another person has, or that needs an ear or a separate answer */
  private async requireForMany(staff: Staff, itemId: string, em: EntityManager): Promise<void> {
    const { item } = await this.lockOpen(itemId, em);
    if (item.takenBy && item.takenBy.id !== staff.id) throw taken(item);
    const alone = (cause: string) => new DomainError('review_item_alone', { name: item.voiceName, cause });
    if (item.firstListening !== null) throw alone('a second listening');
    if (await this.appeals.findOpen(item.voiceId, em)) throw alone('an appeal, which needs an answer');
  }

  private async lockOpen(itemId: string, em: EntityManager) {
    const locked = await this.items.lock(itemId, em);
    if (!locked) throw itemNotFound(itemId);
    const item = (await this.items.find(itemId, em))!;
    if (locked.isDecided) throw alreadyDecided(item);
    return { item, takenBy: locked.takenBy };
  }

  private async get(itemId: string): Promise<DeskItem> {
    const item = isUuid(itemId) ? await this.items.find(itemId) : null;
    if (!item) throw itemNotFound(itemId);
    return item;
  }
}

function toReplaced({ reviewGeneration, reviewState }: Voice) {
  return { generation: reviewGeneration, state: reviewState };
}

function nothingToRead(input: unknown): InvalidInput {
  const msg = 'A second listening changes nothing that the customer reads: leave it out';
  return new InvalidInput([{ type: 'value_error', path: ['public_reason'], msg, input }]);
}

function notTaken({ takenBy }: DeskItem): DomainError {
  const cause = takenBy ? `${takenBy.name} has it` : 'no reviewer has it';
  return new DomainError('review_item_not_taken', { cause });
}
