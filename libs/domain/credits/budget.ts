import { grouped, plural } from '../common/sentences';
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

/** The subject of a budget for a key or for a tag; without both for the account, or for each end user of it. */
export function budgetSubject(
  keyId: string | null,
  tag: string | null,
  subject?: BudgetSubjectKind,
): BudgetSubject {
  if (keyId !== null) return { subject: 'key', keyId, tag: null };
  if (tag !== null) return { subject: 'tag', keyId, tag };
  return { subject: subject === 'end_user' ? subject : 'account', keyId, tag };
}

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

/** What a budget would have done, had it been added so many days ago. */
export interface BudgetDryRun {
  days: number;
  /** Charges that would have counted for it, and those of them that it would have refused; null when there are too many to read. */
  charges: number | null;
  refused: number | null;
  /** Whether some charges of these days are in archived months, which were not read. */
  isPartlyArchived: boolean;
}

/** A dry run in a sentence, or two. */
export function budgetDryRunSentence({ days, charges, refused, isPartlyArchived }: BudgetDryRun): string {
  const archived = isPartlyArchived ? ' Some charges of that time are archived and not counted.' : '';
  if (charges === null || refused === null)
    return `There are too many charges in ${plural(days, 'day')} to see what it would have refused.`;
  return `It would have refused ${grouped(refused)} of ${plural(charges, 'request', 'requests', grouped)} in ${plural(days, 'day')}.${archived}`;
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
