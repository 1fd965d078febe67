import { accountNotFound } from '@app/database/accounts/account.repository';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditActor } from '../audit/audit-actors';
import type { HoldKind, ReviewHold } from '@app/database/reviews/review-hold.entity';
import { ReviewHoldRepository, type WaitingAccount } from '@app/database/reviews/review-hold.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditEntry } from '../audit/audit-log';

const MAX_ACCOUNTS = 100;

export interface HoldRequest {
  actor: AuditActor;
  reason: string;
  kind: HoldKind;
  minutes: number;
}

const ACTIONS = { held: 'account.reviews_held', behind: 'account.reviews_moved_behind' } as const;

/** Whose reviews wait, and which accounts wait longer because staff say so. */
@Injectable()
export class WaitingAccountsService {
  constructor(
    private readonly holds: ReviewHoldRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** At most 100 accounts, those that have waited longest first. */
  async list(): Promise<WaitingAccount[]> {
    return this.holds.listWaiting(MAX_ACCOUNTS);
  }

  /**
   * Holds the reviews of an account, or moves them behind those of all others. Reviews that are in the queue already
   * continue.
   *
   * @throws DomainError `account_not_found`
   */
  async hold(accountId: string, { actor, reason, kind, minutes }: HoldRequest): Promise<void> {
    await this.changes.make(async (em) => {
      const before = await this.lock(accountId, em);
      const endsAt = new Date(Date.now() + minutes * 60_000);
      await this.holds.set({ accountId, kind, reason, setBy: actor.name, endsAt }, em);
      const event: AuditEntry = {
        actor,
        action: ACTIONS[kind],
        target: { type: 'account', id: accountId, accountId },
        before: toState(before),
        after: toState({ kind, endsAt }),
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }

  /**
   * Lets the reviews of an account take their turns again.
   *
   * @throws DomainError `account_not_found`; `status_unchanged` when they do
   */
  async release(accountId: string, actor: AuditActor, reason: string): Promise<void> {
    await this.changes.make(async (em) => {
      const before = await this.lock(accountId, em);
      if (!before) throw new DomainError('status_unchanged', { status: 'released' });
      await this.holds.remove(accountId, em);
      const event: AuditEntry = {
        actor,
        action: 'account.reviews_released',
        target: { type: 'account', id: accountId, accountId },
        before: toState(before),
        after: toState(null),
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }

  private async lock(accountId: string, em: EntityManager): Promise<ReviewHold | null> {
    const found = isUuid(accountId) ? await this.holds.lock(accountId, em) : null;
    if (!found?.exists) throw accountNotFound(accountId);
    return found.hold;
  }
}

function toState(hold: Pick<ReviewHold, 'kind' | 'endsAt'> | null): Record<string, unknown> {
  return { reviews: hold?.kind ?? 'in_turn', ...(hold && { until: hold.endsAt.toISOString() }) };
}
