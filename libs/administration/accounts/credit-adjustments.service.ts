import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { CreditLedgerLine } from '@app/database/credits/credit-ledger-line.entity';
import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import type { ListedApproval } from '@app/database/approvals/approval.repository';
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
    private readonly ledger: CreditLedgerRepository,
  ) {}

  /** Grants credits, or adjusts them, for the account or one of its keys. May wait for a second member of staff. */
  async move(target: AccountTarget, credits: StaffCredits): Promise<ChangeReceipt | null> {
    const requested = { kind: 'credits' as const, args: () => credits };
    return (await this.approvals.make(this.moving(target, credits), { ...target, ...requested })).receipt;
  }

  /** Has a grant wait for a member of staff who may make it. */
  async request(target: AccountTarget, input: Omit<StaffCredits, 'kind'>): Promise<ListedApproval> {
    const credits = { ...input, kind: 'grant' as const };
    const requested = { ...target, kind: 'credit_request' as const, args: () => credits };
    return this.approvals.request(this.moving(target, credits), requested);
  }

  /** `move` that was approved, or as a part of a larger change. */
  moving(target: AccountTarget, { kind, amount, keyId, requestId, lineId }: StaffCredits): ChangeWork {
    if (amount === 0 || (kind === 'grant' && amount < 0)) throw badAmount(kind, amount);
    return this.changes.changing(target, async ({ id: accountId }, em) => {
      if (keyId !== null) await this.requireKey(accountId, keyId, em);
      const line = lineId === undefined ? undefined : await this.requireLine(accountId, lineId, em);
      const adjustment = { accountId, keyId, kind, amount, requestId, actor: target.actor.name };
      const left = await this.credits.adjust(adjustment, em);
      const action = kind === 'grant' ? 'credits.grant' : 'credits.adjustment';
      const before = { credits_left: left };
      const after = { amount, key_id: keyId, credits_left: left === null ? null : left + amount, line };
      return { patch: {}, action, before, after };
    });
  }

  private async requireLine(accountId: string, lineId: string, em: EntityManager) {
    const line = await this.ledger.find(accountId, lineId, em);
    if (line) return lineOf(line);
    const accepted = 'the id of a line in the ledger of this account';
    const msg = `Input should be ${accepted}`;
    throw new InvalidInput([
      { type: 'value_error', path: ['ledger_line_id'], msg, input: lineId, ctx: { accepted } },
    ]);
  }

  private async requireKey(accountId: string, keyId: string, em: EntityManager): Promise<void> {
    const key = isUuid(keyId) ? await this.keys.find(keyId, em) : null;
    if (key?.accountId !== accountId) throw keyNotFound(keyId);
  }
}

/** What the second person reads of a line of the ledger. */
function lineOf({ kind, amount, operation, requestId, createdAt }: CreditLedgerLine) {
  return { kind, amount: 0 - amount, operation, request_id: requestId, at: createdAt.toISOString() };
}

function badAmount(kind: AdjustmentKind, input: number): InvalidInput {
  const accepted = kind === 'grant' ? 'greater than or equal to 1 for a grant' : 'other than 0';
  const msg = `Input should be ${accepted}`;
  return new InvalidInput([{ type: 'value_error', path: ['amount'], msg, input, ctx: { accepted } }]);
}
