import { BudgetsService } from '@app/administration/budgets/budgets.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { toRevertAt } from '../http/revert-at';
import { RequireStaff } from '../http/staff-access';
import {
  CreateBudgetBody,
  DryRunBudgetBody,
  EditBudgetBody,
  toBudgetResponse,
  toBudgetSettings,
  toDryRunResponse,
  toTriedBudget,
  type BudgetDryRunResponse,
  type BudgetResponse,
} from './budget.dto';

@Controller('admin/accounts/:account_id/budgets')
export class StaffBudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @Get() // List budgets
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<{ items: BudgetResponse[] }> {
    return { items: (await this.budgets.list(accountId)).map(toBudgetResponse) };
  }

  @Get(':budget_id') // Get a budget
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('budget_id') budgetId: string,
  ): Promise<BudgetResponse> {
    return toBudgetResponse(await this.budgets.get(accountId, budgetId));
  }

  /** Charges count for it from now on. */
  @Post() // Create a budget
  @RequireStaff('accounts.write')
  async create(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateBudgetBody,
  ): Promise<BudgetResponse> {
    const id = await this.budgets.create(actor, accountId, toBudgetSettings(body), reason);
    return this.get(accountId, id);
  }

  /** How many charges of the last 30 days a budget would have refused. Nothing changes. */
  @Post('dry-run') // Try a budget against the charges of the last days
  @HttpCode(200)
  @RequireStaff('accounts.read')
  async dryRun(
    @Param('account_id') accountId: string,
    @Body() body: DryRunBudgetBody,
  ): Promise<BudgetDryRunResponse> {
    return toDryRunResponse(await this.budgets.dryRun(accountId, toTriedBudget(body)));
  }

  /** An amount below what is used is accepted: everything is refused then until the budget renews, as `warning` says. */
  @Patch(':budget_id') // Edit a budget
  @RequireStaff('accounts.write')
  async edit(
    @Param('account_id') accountId: string,
    @Param('budget_id') budgetId: string,
    @Change() change: ChangeByStaff,
    @Body() { name, amount, revert_at }: EditBudgetBody,
  ): Promise<BudgetResponse> {
    await this.budgets.edit({ ...change, accountId, budgetId }, { name, amount }, toRevertAt(revert_at));
    return this.get(accountId, budgetId);
  }

  /** Restores what the amount was before its last change. */
  @Post(':budget_id/undo') // Undo the last change of the amount of a budget
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async undo(
    @Param('account_id') accountId: string,
    @Param('budget_id') budgetId: string,
    @Change() change: ChangeByStaff,
  ): Promise<BudgetResponse> {
    await this.budgets.undo({ ...change, accountId, budgetId });
    return this.get(accountId, budgetId);
  }

  @Post(':budget_id/keep') // Keep another amount of a budget that would be undone automatically
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async keep(
    @Param('account_id') accountId: string,
    @Param('budget_id') budgetId: string,
    @Change() change: ChangeByStaff,
  ): Promise<BudgetResponse> {
    await this.budgets.keep({ ...change, accountId, budgetId });
    return this.get(accountId, budgetId);
  }

  @Delete(':budget_id') // Delete a budget
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async delete(
    @Param('account_id') accountId: string,
    @Param('budget_id') budgetId: string,
    @Change() change: ChangeByStaff,
  ): Promise<void> {
    await this.budgets.delete({ ...change, accountId, budgetId });
  }
}
