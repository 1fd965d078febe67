import type { CurrentBudget } from '@app/database/credits/budget.repository';
import { budgetLeft, type BudgetWindow } from '@app/domain/credits/budget';

/** A budget that the charges of a key count for. */
export interface CurrentBudgetResponse {
  name: string;
  window: BudgetWindow;
  /** Credits for each window. */
  amount: number;
  /** In the current window, with what is held. */
  used: number;
  left: number;
  /** When the next window begins. */
  renews_at: string;
}

export function toCurrentBudget(budget: CurrentBudget): CurrentBudgetResponse {
  const { name, window, amount, used, windowEnd } = budget;
  return {
    name,
    window,
    amount,
    used,
    left: Math.max(0, budgetLeft(budget)),
    renews_at: windowEnd.toISOString(),
  };
}
