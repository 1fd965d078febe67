import { BudgetRepository, type BudgetPatch, type NewBudget } from '@app/database/credits/budget.repository';
import { CreditRepository } from '@app/database/credits/credit.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/**
 * Adds, changes and removes budgets: payers of charges beside accounts and keys. The caller owns the transaction; in it the
 * charges of the account wait from the first of these calls on.
 */
@Injectable()
export class CreditBudgets {
  constructor(
    private readonly credits: CreditRepository,
    private readonly budgets: BudgetRepository,
  ) {}

  /** Lets the charges of an account wait until the transaction ends, and brings its budgets up to date. */
  async lock(accountId: string, em: EntityManager): Promise<void> {
    await this.credits.lock([], [accountId], em);
  }

  /** Adds a budget; charges count for it from now on. */
  async add(budget: NewBudget, em: EntityManager): Promise<void> {
    await this.lock(budget.accountId, em);
    await this.budgets.insert(budget, em);
    await this.credits.noteBudgets(budget.accountId, em);
  }

  /** Changes the name or the amount of a budget that the caller has locked with its account. What it has used stays. */
  async change(id: string, patch: BudgetPatch, em: EntityManager): Promise<void> {
    await this.budgets.update(id, patch, em);
  }

  /** Removes a budget: what it has counted stays in the ledger. */
  async remove(id: string, accountId: string, em: EntityManager): Promise<void> {
    await this.lock(accountId, em);
    await this.budgets.delete(id, em);
    await this.credits.noteBudgets(accountId, em);
  }
}
