import { DAY_MS } from '@app/domain/common/utc-days';
import { CreditBudgets } from '@app/credits/credit-budgets';
import { AccountRepository } from '@app/database/accounts/account.repository';
import {
  BudgetRepository,
  type BudgetPatch,
  type CurrentBudget,
  type NewBudget,
} from '@app/database/credits/budget.repository';
import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isUuid } from '@app/domain/common/uuid';
import {
  MAX_BUDGETS,
  MAX_BUDGETS_OF_KEY,
  type BudgetDryRun,
  type BudgetSubject,
} from '@app/domain/credits/budget';
import { DomainError } from '@app/domain/errors';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { keeping, NOT_SAVED_IN_TIME, undoing, undoingIfDue } from '../audit/undo-work';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';

const DRY_RUN_DAYS = 30;
const LONGEST_PERIOD_MS = 31 * DAY_MS;

/** Which budget a change is about, and who makes it. */
export interface BudgetTarget extends ChangeRequest {
  accountId: string;
  budgetId: string;
}

/** A budget without its name, which decides nothing. */
export type TriedBudget = BudgetSubject & Pick<NewBudget, 'operations' | 'amount' | 'window' | 'timeZone'>;
export type BudgetSettings = TriedBudget & Pick<NewBudget, 'name'>;

type Patch = BudgetPatch | 'delete';

/** A budget, and what its amount was before the last change. */
export type UndoableBudget = CurrentBudget & { undo: KeyUndo | null };

/** Budgets of accounts: every change audited in the same transaction. */
@Injectable()
export class BudgetsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly budgets: BudgetRepository,
    private readonly credits: CreditBudgets,
    private readonly ledger: CreditLedgerRepository,
    private readonly undos: KeyUndoRepository,
  ) {}

  /** The budgets of an account, with what each has used in its window. */
  async list(accountId: string): Promise<UndoableBudget[]> {
    await this.accounts.get(accountId);
    const budgets = await this.budgets.list(accountId);
    const undos = await this.undos.list(...budgets.map(({ id }) => id));
    const byId = new Map(undos.map((undo) => [undo.subjectId, undo]));
    return budgets.map((budget) => ({ ...budget, undo: byId.get(budget.id) ?? null }));
  }

  async get(accountId: string, budgetId: string): Promise<UndoableBudget> {
    const found = isUuid(budgetId) && isUuid(accountId) ? await this.budgets.find(budgetId, accountId) : null;
    if (!found) throw budgetNotFound(budgetId);
    return { ...found, undo: await this.undos.find(budgetId, 'amount') };
  }

  /**
   * What a budget would have refused lately, without adding it. An existing one is tried with another amount by its settings.
   *
   * @throws DomainError `account_not_found`, `api_key_not_found`
   * @throws InvalidInput as `create` does
   */
  async dryRun(accountId: string, settings: TriedBudget): Promise<BudgetDryRun> {
    await this.accounts.get(accountId);
    await this.requireTimeZone(settings);
    await this.requireSubject(accountId, settings);
    const id = randomUUID();
    const since = new Date(Date.now() - DRY_RUN_DAYS * DAY_MS);
    const [found, archived] = await Promise.all([
      this.budgets.countRefusals({ ...settings, id, accountId, name: id }, since),
      this.ledger.findArchived(accountId),
    ]);
    const isPartlyArchived =
      archived !== null && archived.newestPeriod.getTime() > since.getTime() - LONGEST_PERIOD_MS;
    const { charges = null, refused = null } = found ?? {};
    return { days: DRY_RUN_DAYS, charges, refused, isPartlyArchived };
  }

  /**
   * Adds a budget, which counts from now on.
   *
   * @returns its id
   * @throws DomainError `account_not_found`, `account_closed`, `api_key_not_found`, `budget_limit_reached`, `budget_name_taken`
   * @throws InvalidInput for a time zone that is not known, and for a tag that no key of the account has
   */
  async create(
    actor: AuditActor,
    accountId: string,
    settings: BudgetSettings,
    reason: string | null,
  ): Promise<string> {
    return (await this.changes.make(this.creating(actor, accountId, settings, reason))).result;
  }

  /** `create` as a part of a larger change. */
  creating(
    actor: AuditActor,
    accountId: string,
    settings: BudgetSettings,
    reason: string | null,
  ): ChangeWork<string> {
    const id = randomUUID();
    return async (em) => {
      await this.requireTimeZone(settings, em);
      await this.takePlace(accountId, settings, em);
      await this.credits.add({ ...settings, id, accountId }, em);
      const target = { type: 'budget', id, accountId };
      return {
        result: id,
        events: [{ actor, action: 'budget.created', target, after: audited(settings), reason }],
      };
    };
  }

  /**
   * Changes the name or the amount, from the current window on. An amount below what is used is accepted: the budget then refuses
   * everything until it renews.
   *
   * @throws DomainError `budget_not_found`, `budget_name_taken`
   */
  async edit(target: BudgetTarget, requested: BudgetPatch, dueAt: Date | null = null): Promise<void> {
    await this.changes.make(this.editing(target, requested, dueAt));
  }

  /**
   * `edit` as a part of a larger change.
   *
   * @param dueAt when another amount is reverted unless it is kept; null for never
   */
  editing(target: BudgetTarget, requested: BudgetPatch, dueAt: Date | null = null): ChangeWork {
    return this.changing(target, async (budget, em) => {
      const edited = await this.store(target, budget, requested, dueAt, em);
      return edited && { ...edited, action: 'budget.edited' };
    });
  }

  /** Restores what the amount was before its last change. That can be undone in the same way. */
  async undo(target: BudgetTarget): Promise<void> {
    await this.changes.make(undoing(this.undoable(target)));
  }

  /** Keeps another amount that its undo timer would have reverted. */
  async keep(target: BudgetTarget): Promise<void> {
    await this.changes.make(keeping(this.undoable(target)));
  }

  /** Reverts the last change of the amount if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, accountId: string, budgetId: string): Promise<void> {
    const target: BudgetTarget = { actor, accountId, budgetId, expected: 'any', reason: NOT_SAVED_IN_TIME };
    await this.changes.make(undoingIfDue(this.undoable(target)));
  }

  private undoable(target: BudgetTarget) {
    return {
      undos: this.undos,
      subjectId: target.budgetId,
      setting: 'amount' as const,
      changing: (edit: (budget: CurrentBudget, em: EntityManager) => Promise<Edit<Patch> | null>) =>
        this.changing(target, edit),
      keepAction: 'budget.edit_kept' as const,
      restore: async (budget: CurrentBudget, { before }: KeyUndo, em: EntityManager) => {
        const edited = await this.store(target, budget, { amount: Number(before) }, null, em);
        // The amount is as it was already: no timer is left to run out.
        if (!edited) await this.undos.clearDue(budget.id, 'amount', em);
        return { ...edited, action: 'budget.edit_undone' as const };
      },
    };
  }

  /** The one way to another name or amount: stores what the amount was, for an undo; null when neither differs. */
  private async store(
    { actor }: BudgetTarget,
    { id, accountId, name, amount }: CurrentBudget,
    requested: BudgetPatch,
    dueAt: Date | null,
    em: EntityManager,
  ): Promise<Pick<Edit<Patch>, 'patch' | 'before' | 'after'> | null> {
    const { before, after } = difference<Required<BudgetPatch>>({ name, amount }, requested);
    if (Object.keys(after).length === 0) return null;
    if (after.name !== undefined) await this.requireFreeName(accountId, after.name, em);
    if (before.amount === undefined) return { patch: after, before, after };
    const by = { subjectId: id, changedBy: actor.name, changedAt: new Date(), dueAt };
    await this.undos.save([{ ...by, setting: 'amount', before: before.amount }], em);
    return { patch: after, before, after: { ...after, ...(dueAt && { undo_due_at: dueAt }) } };
  }

  /** Deletes a budget; what it has counted stays in the ledger. */
  async delete(target: BudgetTarget): Promise<void> {
    await this.changes.make(this.deleting(target));
  }

  /** `delete` as a part of a larger change. */
  deleting(target: BudgetTarget): ChangeWork {
    return this.changing(target, async (budget) => ({
      patch: 'delete',
      action: 'budget.deleted',
      before: audited(budget),
    }));
  }

  private changing(
    target: BudgetTarget,
    edit: (budget: CurrentBudget, em: EntityManager) => Promise<Edit<Patch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.lock(target, em), edit);
  }

  private async lock(
    { accountId, budgetId }: Pick<BudgetTarget, 'accountId' | 'budgetId'>,
    em: EntityManager,
  ): Promise<Locked<CurrentBudget, Patch>> {
    if (!isUuid(accountId) || !isUuid(budgetId)) throw budgetNotFound(budgetId);
    await this.credits.lock(accountId, em);
    const budget = await this.budgets.find(budgetId, accountId, em);
    if (!budget) throw budgetNotFound(budgetId);
    return {
      resource: budget,
      version: budget.version,
      auditTarget: { type: 'budget', id: budget.id, accountId },
      save: (patch) =>
        patch === 'delete'
          ? this.credits.remove(budget.id, accountId, em)
          : this.credits.change(budget.id, patch, em),
    };
  }

  private async takePlace(accountId: string, settings: BudgetSettings, em: EntityManager): Promise<void> {
    const account = await this.accounts.lock(accountId, em);
    if (account.status === 'closed') throw new DomainError('account_closed');
    await this.requireSubject(accountId, settings, em);
    const budgets = await this.budgets.list(accountId, em);
    const { keyId, name } = settings;
    requirePlace('An account', budgets.length, MAX_BUDGETS);
    if (keyId !== null)
      requirePlace('A key', budgets.filter((each) => each.keyId === keyId).length, MAX_BUDGETS_OF_KEY);
    if (budgets.some((each) => each.name === name)) throw nameTaken(name);
  }

  private async requireSubject(
    accountId: string,
    { keyId, tag }: Pick<BudgetSettings, 'keyId' | 'tag'>,
    em?: EntityManager,
  ): Promise<void> {
    if (keyId !== null) {
      const key = isUuid(keyId) ? await this.keys.find(keyId, em) : null;
      if (key?.accountId !== accountId) throw keyNotFound(keyId);
    }
    if (tag !== null && !(await this.budgets.hasTaggedKey(accountId, tag, em)))
      throw wrong('tag', tag, 'Input should be a tag that a key of the account has');
  }

  private async requireTimeZone({ window, timeZone }: TriedBudget, em?: EntityManager): Promise<void> {
    if (timeZone === 'UTC') return;
    if (window === 'billing_period')
      throw wrong('time_zone', timeZone, 'Input should be UTC for a window of billing_period');
    if (!(await this.budgets.knowsTimeZone(timeZone, em)))
      throw wrong('time_zone', timeZone, 'Input should be the name of a time zone such as Europe/Berlin');
  }

  private async requireFreeName(accountId: string, name: string, em: EntityManager): Promise<void> {
    const budgets = await this.budgets.list(accountId, em);
    if (budgets.some((each) => each.name === name)) throw nameTaken(name);
  }
}

function requirePlace(subject: string, used: number, limit: number): void {
  if (used >= limit) throw new DomainError('budget_limit_reached', { subject, used, limit });
}

function budgetNotFound(budgetId: string): DomainError {
  return new DomainError('budget_not_found', { budgetId: budgetId.slice(0, 100) });
}

function nameTaken(name: string): DomainError {
  return new DomainError('budget_name_taken', { name }, { param: 'name' });
}

function wrong(field: string, input: string, msg: string): InvalidInput {
  return new InvalidInput([{ type: 'value_error', path: [field], msg, input }]);
}

function audited(budget: BudgetSettings | CurrentBudget) {
  const { name, subject, keyId, tag, operations, amount, window, timeZone } = budget;
  return { name, subject, key_id: keyId, tag, operations, amount, window, time_zone: timeZone };
}
