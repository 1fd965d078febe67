import { creditsLeft } from './credits-left';

/** How long a budget lasts before it renews: by the clocks of its time zone, a week from Monday on; a billing period in UTC. */
export const BUDGET_WINDOWS = ['day', 'week', 'month', 'billing_period'] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

export const BUDGET_SUBJECTS = ['account', 'key', 'tag', 'end_user'] as const;
export type BudgetSubjectKind = (typeof BUDGET_SUBJECTS)[number];

/**
 * Whose charges count: all of an account, those of a key and of the keys that come from it, those of keys with a tag, or those
 * that name an end user, each of whom has the amount separately.
 */
export type BudgetSubject =
  | { subject: 'account' | 'end_user'; keyId: null; tag: null }
  | { subject: 'key'; keyId: string; tag: null }
  | { subject: 'tag'; keyId: null; tag: string };

/** So many budgets an account has at the most: each charge of it may count for all of them. */
export const MAX_BUDGETS = 20;
/** So many of them name the same key. */
export const MAX_BUDGETS_OF_KEY = 8;

/** A budget that had no room for a charge. */
export interface SpentBudget {
  name: string;
  window: BudgetWindow;
  renewsAt: Date;
}

/** A window in a sentence: so many credits per … */
export function windowName(window: BudgetWindow): string {
  return window.replace('_', ' ');
}

/** What a budget has left in its window, below zero when its amount was lowered since. */
export function budgetLeft({ amount, used }: { amount: number; used: number }): number {
  return creditsLeft({ creditLimit: amount, granted: 0, used })!;
}

const DAY_SECS = 86_400;

/**
 * After how many seconds a charge that a budget has refused is worth another attempt; null when that is more than a day away, or
 * when the budget would not be enough after it has renewed.
 */
export function budgetRetrySecs(
  { amount, cost, renewsAt }: { amount: number; cost: number; renewsAt: Date },
  now: Date,
): number | null {
  if (cost > amount) return null;
  const secs = Math.max(1, Math.ceil((renewsAt.getTime() - now.getTime()) / 1_000));
  return secs <= DAY_SECS ? secs : null;
}
