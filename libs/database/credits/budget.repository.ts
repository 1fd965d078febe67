import type { BudgetSubject, BudgetSubjectKind, BudgetWindow } from '@app/domain/credits/budget';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Budget } from './budget.entity';

/** A budget now, by database time. */
export interface CurrentBudget {
  id: string;
  accountId: string;
  name: string;
  subject: BudgetSubjectKind;
  keyId: string | null;
  tag: string | null;
  /** Credits for each window. */
  amount: number;
  window: BudgetWindow;
  timeZone: string;
  version: number;
  createdAt: Date;
  windowStart: Date;
  /** When the next window begins. */
  windowEnd: Date;
  /** In this window, with what is held; by all end users together, where each has the amount separately. */
  used: number;
  held: number;
}

export type NewBudget = BudgetSubject &
  Pick<CurrentBudget, 'id' | 'accountId' | 'name' | 'amount' | 'window' | 'timeZone'>;

export type BudgetPatch = Partial<Pick<CurrentBudget, 'name' | 'amount'>>;

/** The columns of CurrentBudget, of the view `current_budgets` under the name `c`. */
const CURRENT_BUDGET = `c.id, c.account_id AS "accountId", c.name, c.subject, c.key_id AS "keyId", c.tag,
  c.amount::float8 AS amount, c.window_kind AS "window", c.time_zone AS "timeZone", c.version, c.created_at AS "createdAt",
  c.window_start AS "windowStart", c.window_end AS "windowEnd", c.used::float8 AS used, c.held::float8 AS held`;

/** The ids of the budgets that a charge of a key counts for, in SQL: the key is `$1`, the account `$2`. */
export const BUDGETS_OF_KEY = `SELECT t.id FROM budgets_of($2::uuid,
  ARRAY[$1::uuid] || (SELECT k.maker_ids FROM credit_balance k WHERE k.subject_id = $1)) t`;

/** Reads budgets; writes them for libs/credits, which holds the lock of the account's balance meanwhile. */
@Injectable()
export class BudgetRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The budgets of an account, by name. */
  async list(accountId: string, em: EntityManager = this.dataSource.manager): Promise<CurrentBudget[]> {
    return em.query<CurrentBudget[]>(
      `SELECT ${CURRENT_BUDGET} FROM current_budgets c WHERE c.account_id = $1 ORDER BY c.name COLLATE "C"`,
      [accountId],
    );
  }

  /** The budgets that a charge of a key counts for now, by name. */
  async listOfKey(keyId: string, accountId: string): Promise<CurrentBudget[]> {
    return this.dataSource.query<CurrentBudget[]>(
      `SELECT ${CURRENT_BUDGET} FROM current_budgets c WHERE c.id IN (${BUDGETS_OF_KEY}) ORDER BY c.name COLLATE "C"`,
      [keyId, accountId],
    );
  }

  /** A budget of an account; null for an unknown one. */
  async find(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<CurrentBudget | null> {
    const [row] = await em.query<CurrentBudget[]>(
      `SELECT ${CURRENT_BUDGET} FROM current_budgets c WHERE c.id = $1 AND c.account_id = $2`,
      [id, accountId],
    );
    return row ?? null;
  }

  /** Whether a key of an account that is not deleted has a tag. */
  async hasTaggedKey(accountId: string, tag: string, em: EntityManager): Promise<boolean> {
    const [row] = await em.query<{ found: boolean }[]>(
      `SELECT EXISTS (
         SELECT FROM api_key WHERE account_id = $1 AND deleted_at IS NULL AND tags @> ARRAY[$2::text]
       ) AS found`,
      [accountId, tag],
    );
    return row!.found;
  }

  /** Whether the database knows a time zone of this name. */
  async knowsTimeZone(name: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ known: boolean }[]>(
      'SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1) AS known',
      [name],
    );
    return row!.known;
  }

  /** Adds a budget with nothing used, in its current window. */
  async insert(budget: NewBudget, em: EntityManager): Promise<void> {
    const { id, accountId, name, subject, keyId, tag, amount, window, timeZone } = budget;
    await em.query(
      `INSERT INTO budget (id, account_id, name, subject, key_id, tag, amount, window_kind, time_zone, window_start, window_end)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, w.window_start, w.window_end
       FROM credit_balance a, budget_window($8, $9, a.period_anchor, now()) w WHERE a.subject_id = $2`,
      [id, accountId, name, subject, keyId, tag, amount, window, timeZone],
    );
  }

  async update(id: string, patch: BudgetPatch, em: EntityManager): Promise<void> {
    await em.update(Budget, { id }, { ...patch, version: () => 'version + 1' });
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.delete(Budget, { id });
  }

  /** Deletes what end users have used in windows that have ended, and of budgets that are deleted; returns how many rows. */
  async deleteEnded(limit: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM budget_end_user u USING (
         SELECT e.* FROM budget_end_user e LEFT JOIN budget t ON t.number = e.budget
         WHERE t.number IS NULL OR e.window_start < t.window_start LIMIT $1
       ) ended
       WHERE u.budget = ended.budget AND u.end_user = ended.end_user
         AND u.window_start = ended.window_start`,
      [limit],
    );
    return count;
  }
}
