import { checkVersion, contentVersion, type ExpectedVersion } from '@app/domain/common/version';
import { byStaff } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { changing, type Edit } from '../audit/locked-change';
import {
  ReviewItemRepository,
  type DeskFilter,
  type DeskItem,
  type DeskSummary,
  type StaffName,
} from '@app/database/reviews/review-item.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { mayStaff, STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { alreadyDecided, itemNotFound, taken } from './desk-refusals';

/** The review desk: which voices it has, and who takes which. */
@Injectable()
export class ReviewDeskService {
  constructor(
    private readonly items: ReviewItemRepository,
    private readonly voices: VoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** How many voices wait for a member of staff, and why. */
  async summarise(staff: Staff): Promise<DeskSummary> {
    return this.items.summarise(staff.id);
  }

  /** Who can be assigned an item. */
  async listPeople(): Promise<StaffName[]> {
    return this.items.listPeople(STAFF_ROLES.filter((role) => mayStaff(role, 'voices.review')));
  }

  /** Notes which item this person looks at; null for none. Returns who else is at the desk. */
  async visit(staff: Staff, itemId: string | null): Promise<(StaffName & { itemId: string | null })[]> {
    return this.items.visit(staff.id, itemId !== null && isUuid(itemId) ? itemId : null);
  }

  /** @throws DomainError `review_item_not_found` */
  async get(itemId: string): Promise<DeskItem> {
    const item = isUuid(itemId) ? await this.items.find(itemId) : null;
    if (!item) throw itemNotFound(itemId);
    return item;
  }

  /** Sends a voice to the desk because someone has complained about its grade. */
  async send(staff: Staff, voiceId: string, reason: string): Promise<DeskItem> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    const { result } = await this.changes.make(async (em) => {
      const id = await this.items.open(voiceId, ['complaint'], em, reason);
      const target = { type: 'voice', id: voiceId, accountId: voice.accountId };
      return {
        result: id,
        events: [{ actor: byStaff(staff), action: 'voice.sent_to_desk', target, reason }],
      };
    });
    return this.get(result);
  }

  /** Takes the next item that no other person has, or null when none waits. */
  async takeNext(staff: Staff, filter: Pick<DeskFilter, 'reason' | 'accountId'>): Promise<DeskItem | null> {
    const id = await this.items.takeNext(staff.id, filter);
    return id === null ? null : this.get(id);
  }

  /** Takes an item, or keeps it for longer. Taking it over from another person is on record. */
  async take(staff: Staff, itemId: string, { takeOver }: { takeOver: boolean }): Promise<DeskItem> {
    await this.change(staff, itemId, null, async (item, em) => {
      const { takenBy } = item;
      if (item.firstListener === staff.id) throw own(staff.name);
      if (!(await this.items.take(itemId, staff.id, takeOver, em))) throw taken(item);
      if (takenBy === null || takenBy.id === staff.id) return null;
      const after = { taken_by: staff.name };
      return { action: 'voice.desk_taken_over', before: { taken_by: takenBy.name }, after };
    });
    return this.get(itemId);
  }

  /** Gives an item back; no change when this person does not have it. */
  async release(staff: Staff, itemId: string): Promise<DeskItem> {
    const { id } = await this.get(itemId);
    await this.items.release(id, staff.id);
    return this.get(id);
  }

  /** Hides an item for some minutes. */
  async snooze(
    staff: Staff,
    itemId: string,
    { minutes, note, expected }: { minutes: number; note: string; expected: ExpectedVersion },
  ): Promise<DeskItem> {
    await this.change(staff, itemId, note, async ({ takenBy, ...item }, em) => {
      checkVersion(expected, planVersion(item));
      if (takenBy !== null && takenBy.id !== staff.id) throw taken({ ...item, takenBy });
      await this.items.snooze(itemId, minutes, note, em);
      return { action: 'voice.desk_snoozed', before: null, after: { minutes } };
    });
    return this.get(itemId);
  }

  /**
   * Assigns an item to a person who may decide it.
   *
   * @param assigneeId null for no assignee
   */
  async assign(
    staff: Staff,
    itemId: string,
    assigneeId: string | null,
    expected: ExpectedVersion,
  ): Promise<DeskItem> {
    const people = await this.listPeople();
    const assignee = people.find(({ id }) => id === assigneeId) ?? null;
    if (assigneeId !== null && !assignee) throw new DomainError('staff_not_found', { staffId: assigneeId });
    await this.change(staff, itemId, null, async (item, em) => {
      const { assignedTo, firstListener } = item;
      checkVersion(expected, planVersion(item));
      if (assignee && firstListener === assignee.id) throw own(assignee.name);
      if (assignedTo?.id === assignee?.id) return null;
      await this.items.assign(itemId, assigneeId, em);
      return {
        action: assignee ? 'voice.desk_assigned' : 'voice.desk_unassigned',
        before: { assigned_to: assignedTo?.name ?? null },
        after: { assigned_to: assignee?.name ?? null },
      };
    });
    return this.get(itemId);
  }

  /** Changes an open item; `edit` sees it as it is while it is locked. */
  private async change(
    staff: Staff,
    itemId: string,
    reason: string | null,
    edit: (item: DeskItem, em: EntityManager) => Promise<Edit | null>,
  ): Promise<void> {
    const lock = async (em: EntityManager) => {
      const locked = isUuid(itemId) ? await this.items.lock(itemId, em) : null;
      const item = locked && (await this.items.find(itemId, em));
      if (!item) throw itemNotFound(itemId);
      if (item.decidedAt) throw alreadyDecided(item);
      const { voiceId: id, accountId } = item;
      return { resource: item, version: 0, auditTarget: { type: 'voice', id, accountId } };
    };
    await this.changes.make(changing({ actor: byStaff(staff), expected: 'any', reason }, lock, edit));
  }
}

/** The version of who an item is assigned to and until when it is snoozed. */
export function planVersion({
  assignedTo,
  snoozedUntil,
}: Pick<DeskItem, 'assignedTo' | 'snoozedUntil'>): number {
  return contentVersion([assignedTo?.id ?? null, snoozedUntil]);
}

function own(name: string): DomainError {
  return new DomainError('review_item_own', { name });
}
