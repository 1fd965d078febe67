import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { StaffCredits } from '../approvals/approval-args';
import type { AdjustmentKind } from '@app/domain/credits/credit-adjustment';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service';
import type { ChangeWork } from '../audit/audited-changes';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { AccountChangesService, type AccountTarget } from './account-changes.service';

/** Grants and adjustments: a line of the ledger with its actor, audited in the same transaction. */
@Injectable()
export class CreditAdjustmentsService {
  constructor(
    private readonly changes: AccountChangesService,
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    private readonly approvals: ApprovalsService,
  ) {}

  /** Grants credits, or adjusts them, for the account or one of its keys. May wait for a second member of staff. */
  async move(target: AccountTarget, credits: StaffCredits): Promise<ChangeReceipt | null> {
    const requested = { kind: 'credits' as const, args: () => credits };
    return (await this.approvals.make(this.moving(target, credits), { ...target, ...requested })).receipt;
  }

  /** `move` that was approved, or as a part of a larger change. */
  moving(target: AccountTarget, { kind, amount, keyId, requestId }: StaffCredits): ChangeWork {
    if (amount === 0 || (kind === 'grant' && amount < 0)) throw badAmount(kind, amount);
    return this.changes.changing(target, async ({ id: accountId }, em) => {
      if (keyId !== null) await this.requireKey(accountId, keyId, em);
      const adjustment = { accountId, keyId, kind, amount, requestId, actor: target.actor.name };
      const left = await this.credits.adjust(adjustment, em);
      const action = kind === 'grant' ? 'credits.grant' : 'credits.adjustment';
      const before = { credits_left: left };
      const after = { amount, key_id: keyId, credits_left: left === null ? null : left + amount };
      return { patch: {}, action, before, after };
    });
  }

  private async requireKey(accountId: string, keyId: string, em: EntityManager): Promise<void> {
    const key = isUuid(keyId) ? await this.keys.find(keyId, em) : null;
    if (key?.accountId !== accountId) throw keyNotFound(keyId);
  }
}

function badAmount(kind: AdjustmentKind, input: number): InvalidInput {
  const accepted = kind === 'grant' ? 'greater than or equal to 1 for a grant' : 'other than 0';
  const msg = `Input should be ${accepted}`;
  return new InvalidInput([{ type: 'value_error', path: ['amount'], msg, input, ctx: { accepted } }]);
}
