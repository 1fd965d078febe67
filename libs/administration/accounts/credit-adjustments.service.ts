import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { CreditLedgerLine } from '@app/database/credits/credit-ledger-line.entity';
import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import type { ListedApproval } from '@app/database/approvals/approval.repository';
import { isUuid } from '@app/domain/common/uuid';
import type { CreditKind } from '@app/domain/credits/credit-adjustment';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { approvable, args } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { nullable, number, object, optional, text, time } from '../approvals/json-shape';
import type { ChangeWork } from '../audit/audited-changes';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { AccountChangesService, accountOf, type AccountTarget } from './account-changes.service';

/** Credits that staff give or take; positive amounts give. */
export interface StaffCredits {
  kind: CreditKind;
  amount: number;
  /** Null for the account alone. */
  keyId: string | null;
  requestId: string;
  /** The line of the ledger that they are given for. */
  lineId?: string;
  /** When prepaid credits end, as ISO 8601 text; null for never. */
  endsAt?: string | null;
}

export const CREDITS = args<StaffCredits>(
  object({
    kind: text,
    amount: number,
    keyId: nullable(text),
    requestId: text,
    lineId: optional(text),
    endsAt: time,
  }),
);

/** Grants and adjustments: a line of the ledger with its actor, audited in the same transaction. */
@Injectable()
export class CreditAdjustmentsService {
  readonly approvable = {
    credits: approvable('credits', CREDITS, (approved) => ({
      work: this.moving(accountOf(approved), approved.args),
    })),
    credit_request: approvable('credit_request', CREDITS, (approved) => ({
      work: this.moving(accountOf(approved), approved.args),
    })),
  };

  constructor(
    private readonly changes: AccountChangesService,
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    private readonly approvals: ApprovalsService,
    private readonly ledger: CreditLedgerRepository,
  ) {}

  /** Grants credits, prepaid ones too, or adjusts them, for the account or one of its keys. May wait for a second member of staff. */
  async move(target: AccountTarget, credits: StaffCredits): Promise<ChangeReceipt | null> {
    refusePastEnd(credits);
    const requested = { ...target, approvable: this.approvable.credits, args: () => credits };
    return (await this.approvals.make(this.moving(target, credits), requested)).receipt;
  }

  /** Has a grant wait for a member of staff who may make it. */
  async request(
    target: AccountTarget,
    credits: StaffCredits & { kind: 'grant' | 'prepaid' },
  ): Promise<ListedApproval> {
    refusePastEnd(credits);
    const requested = { ...target, approvable: this.approvable.credit_request, args: () => credits };
    return this.approvals.request(this.moving(target, credits), requested);
  }

  /** Takes back what is left of a prepaid grant. */
  async revoke(target: AccountTarget, grantId: string): Promise<ChangeReceipt | null> {
    return this.changes.change(target, async ({ id: accountId }, em) => {
      const actor = target.actor.name;
      const grant = await this.credits.revokePrepaid({ id: grantId, accountId, actor }, em);
      const after = { grant_id: grant.id, revoked: grant.remaining, credits_left: 0 };
      return {
        patch: {},
        action: 'credits.prepaid_revoked',
        before: { grant_id: grant.id, credits_left: grant.remaining },
        after,
      };
    });
  }

  /** `move` as a part of a larger change. */
  moving(target: AccountTarget, credits: StaffCredits): ChangeWork {
    const { kind, amount, keyId, requestId, lineId } = credits;
    if (amount === 0 || (kind !== 'adjustment' && amount < 0)) throw badAmount(kind, amount);
    if (kind === 'prepaid') return this.granting(target, credits);
    if (typeof credits.endsAt === 'string')
      throw wrong('ends_at', credits.endsAt, 'left out for credits that are not prepaid');
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

  private granting(
    target: AccountTarget,
    { amount, keyId, endsAt: text = null, lineId }: StaffCredits,
  ): ChangeWork {
    if (keyId !== null) throw wrong('key_id', keyId, 'left out for prepaid credits, which the account has');
    const endsAt = text === null ? null : new Date(text);
    return this.changes.changing(target, async ({ id: accountId }, em) => {
      // It may have waited for a second person until then.
      if (endsAt && endsAt <= new Date()) throw new DomainError('end_passed', { endsAt: text! });
      const line = lineId === undefined ? undefined : await this.requireLine(accountId, lineId, em);
      const { actor, reason } = target;
      const grant = { id: randomUUID(), accountId, amount, endsAt, reason, actor: actor.name };
      const left = await this.credits.grantPrepaid(grant, em);
      return {
        patch: {},
        action: 'credits.prepaid',
        before: { credits_left: left },
        after: {
          amount,
          grant_id: grant.id,
          ends_at: endsAt?.toISOString() ?? null,
          credits_left: left === null ? null : Math.max(0, left) + amount,
          line,
        },
      };
    });
  }

  private async requireLine(accountId: string, lineId: string, em: EntityManager) {
    const line = await this.ledger.find(accountId, lineId, em);
    if (line) return lineOf(line);
    throw wrong('ledger_line_id', lineId, 'the id of a line in the ledger of this account');
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

function refusePastEnd({ endsAt }: StaffCredits): void {
  const now = new Date();
  if (typeof endsAt === 'string' && new Date(endsAt) <= now)
    throw wrong('ends_at', endsAt, `a time after ${now.toISOString()}`);
}

function badAmount(kind: StaffCredits['kind'], input: number): InvalidInput {
  return wrong(
    'amount',
    input,
    kind === 'adjustment' ? 'other than 0' : 'greater than or equal to 1 for a grant',
  );
}

function wrong(field: string, input: unknown, accepted: string): InvalidInput {
  const msg = `Input should be ${accepted}`;
  return new InvalidInput([{ type: 'value_error', path: [field], msg, input, ctx: { accepted } }]);
}
