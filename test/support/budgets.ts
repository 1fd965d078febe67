import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CreditBudgets } from '../../libs/credits/credit-budgets';
import { BudgetRepository, type NewBudget } from '../../libs/database/credits/budget.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import type { BudgetSubject, BudgetWindow } from '../../libs/domain/credits/budget';
import { queryAs } from './query-as';

export interface BudgetInput {
  amount: number;
  keyId?: string;
  tag?: string;
  perEndUser?: boolean;
  operations?: readonly string[];
  window?: BudgetWindow;
  timeZone?: string;
  name?: string;
}

function subjectOf({ keyId, tag, perEndUser }: BudgetInput): BudgetSubject {
  if (keyId !== undefined) return { subject: 'key', keyId, tag: null };
  if (tag !== undefined) return { subject: 'tag', keyId: null, tag };
  return { subject: perEndUser ? 'end_user' : 'account', keyId: null, tag: null };
}

/** Adds a budget to an account; for the whole account unless a key, a tag or each end user is given. */
export async function addBudget(
  dataSource: DataSource,
  accountId: string,
  input: BudgetInput,
): Promise<NewBudget> {
  const { amount, window = 'day', timeZone = 'UTC' } = input;
  const operations = input.operations ? [...input.operations] : null;
  const id = randomUUID();
  const budget = { id, accountId, name: input.name ?? `Budget ${id}`, operations, amount, window, timeZone };
  const created = { ...budget, ...subjectOf(input) };
  await dataSource.transaction((em) => budgetsOf(dataSource).add(created, em));
  return created;
}

/** What changes budgets, outside an application. */
export function budgetsOf(dataSource: DataSource): CreditBudgets {
  return new CreditBudgets(new CreditRepository(dataSource), new BudgetRepository(dataSource));
}

/**
 * Time passes for the budgets of an account: their windows, and what counted in them, become older.
 *
 * @param interval of PostgreSQL
 */
export async function moveBudgetsBack(ownerUrl: string, accountId: string, interval: string): Promise<void> {
  await queryAs(ownerUrl, OLDER, [accountId, interval]);
}

const OLDER_WINDOWS = `budget_windows = ARRAY(SELECT w - $2::interval FROM unnest(budget_windows) w)`;
const OLDER = `
WITH line AS (
  UPDATE ledger_line SET ${OLDER_WINDOWS}
  WHERE budget_windows IS NOT NULL AND account = (SELECT number FROM credit_balance WHERE subject_id = $1)
), end_users AS (
  UPDATE budget_end_user SET window_start = window_start - $2::interval
  WHERE budget IN (SELECT number FROM budget WHERE account_id = $1)
), hold AS (
  UPDATE credit_hold SET ${OLDER_WINDOWS} WHERE budget_windows IS NOT NULL AND account_id = $1
)
UPDATE budget SET window_start = window_start - $2::interval, window_end = window_end - $2::interval WHERE account_id = $1`;
