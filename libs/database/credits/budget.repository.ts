import type { BudgetSubject, BudgetSubjectKind, BudgetWindow } from '@app/domain/credits/budget';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { queryPrepared } from '../common/prepared-statement';
import { SharedReads } from '../common/shared-reads';
import { isStatementTimeout } from '../common/statement-timeout';
import { Budget } from './budget.entity';
import { USED } from './usage.repository';

/** A budget now, by database time. */
export interface CurrentBudget {
  id: string;
  accountId: string;
  name: string;
  subject: BudgetSubjectKind;
  keyId: string | null;
  tag: string | null;
  /** The only operations whose charges count; null for all. */
  operations: string[] | null;
  /** Credits for each window. */
  amount: number;
  window: BudgetWindow;
  timeZone: string;
  version: number;
  createdAt: Date;
  windowStart: Date;
  /** When the next window begins. */
  windowEnd: Date;
  /** In this window, with what is held; by all end users together, where each has the amount separately and none is named. */
  used: number;
  held: number;
}

export type NewBudget = BudgetSubject &
  Pick<CurrentBudget, 'id' | 'accountId' | 'name' | 'operations' | 'amount' | 'window' | 'timeZone'>;

export type BudgetPatch = Partial<Pick<CurrentBudget, 'name' | 'amount'>>;

/** Which charges: those of a key, of an end user and for an operation if they name one. */
export interface ChargesOfKey {
  keyId: string;
  accountId: string;
  endUser: string | null;
  operation: string | null;
}

/** The columns of CurrentBudget, of the function `current_budgets` under the name `c`. */
const CURRENT_BUDGET = `c.id, c.account_id AS "accountId", c.name, c.subject, c.key_id AS "keyId", c.tag, c.operations,
  c.amount::float8 AS amount, c.window_kind AS "window", c.time_zone AS "timeZone", c.version, c.created_at AS "createdAt",
  c.window_start AS "windowStart", c.window_end AS "windowEnd", c.used::float8 AS used, c.held::float8 AS held`;

/** The budgets that charges count for now, under the name `c`: of a key `$1` of an account `$2`, an end user `$3` and an operation `$4`. */
const BUDGETS_OF_CHARGES = `current_budgets($2::uuid, $3::text) c
  JOIN budgets_of($2::uuid, ARRAY[$1::uuid] || (SELECT k.maker_ids FROM credit_balance k WHERE k.subject_id = $1), $3::text, $4::text) t
    ON t.id = c.id`;

/** The values of `BUDGETS_OF_CHARGES`. */
export const valuesOfCharges = ({ keyId, accountId, endUser, operation }: ChargesOfKey) => [
  keyId,
  accountId,
  endUser,
  operation,
];

const OF_CHARGES = {
  name: 'budgets_of_charges',
  text: `SELECT ${CURRENT_BUDGET} FROM ${BUDGETS_OF_CHARGES} ORDER BY c.name COLLATE "C"`,
};

/** Charges that would have counted for a budget, and those of them that it would have refused. */
export interface BudgetRefusals {
  charges: number;
  refused: number;
}

/** Of the account `$1`, from `$2` to `$3`, for the budget `$4`; where each end user has it separately, each of them by theirs. */
const REFUSALS = `
  WITH used AS MATERIALIZED (${USED}), payer AS (
    SELECT DISTINCT u.key_id, u.end_user, u.operation FROM used u
  ), counting AS MATERIALIZED (
    SELECT p.* FROM payer p JOIN credit_balance k ON k.subject_id::text = p.key_id AND k.account_id = $1
    WHERE EXISTS (
      SELECT FROM budgets_of($1::uuid, k.subject_id || k.maker_ids, nullif(p.end_user, ''), p.operation) t WHERE t.id = $4)
  ), request AS (
    SELECT min(u.at) AS at, sum(u.amount)::bigint AS cost, min(u.end_user) AS end_user
    FROM used u JOIN counting USING (key_id, end_user, operation)
    GROUP BY u.request_id HAVING bool_or(u.is_request)
  ), series AS (
    SELECT count(*)::int AS charges,
      budget_refusals(min(t.amount), array_agg(r.cost ORDER BY r.at), array_agg(w.window_start ORDER BY r.at)) AS refused
    FROM request r
    JOIN budget t ON t.id = $4
    JOIN credit_balance a ON a.subject_id = t.account_id
    CROSS JOIN LATERAL budget_window(t.window_kind, t.time_zone, a.period_anchor, r.at) w
    GROUP BY CASE t.subject WHEN 'end_user' THEN r.end_user END
  )
  SELECT coalesce(sum(charges), 0)::int AS charges, coalesce(sum(refused), 0)::int AS refused FROM series`;

/** Reads budgets; writes them for libs/credits, which holds the lock of the account's balance meanwhile. */
@Injectable()
export class BudgetRepository {
  private readonly shared = new SharedReads<CurrentBudget[]>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The budgets of an account, by name. */
  async list(accountId: string, em: EntityManager = this.dataSource.manager): Promise<CurrentBudget[]> {
    return em.query<CurrentBudget[]>(
      `SELECT ${CURRENT_BUDGET} FROM current_budgets($1) c ORDER BY c.name COLLATE "C"`,
      [accountId],
    );
  }

  /** The budgets that charges of a key count for now, by name, with what their end user has used. A busy key is read once for many. */
  async listOfCharges(charges: ChargesOfKey): Promise<CurrentBudget[]> {
    const values = valuesOfCharges(charges);
    return this.shared.read(JSON.stringify(values), () =>
      queryPrepared<CurrentBudget>(this.dataSource, OF_CHARGES, values),
    );
  }

  /** A budget of an account; null for an unknown one. */
  async find(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<CurrentBudget | null> {
    const [row] = await em.query<CurrentBudget[]>(
      `SELECT ${CURRENT_BUDGET} FROM current_budgets($2) c WHERE c.id = $1`,
      [id, accountId],
    );
    return row ?? null;
  }

  /** Whether a key of an account that is not deleted has a tag. */
  async hasTaggedKey(
    accountId: string,
    tag: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const [row] = await em.query<{ found: boolean }[]>(
      `SELECT EXISTS (
         SELECT FROM api_key WHERE account_id = $1 AND deleted_at IS NULL AND tags @> ARRAY[$2::text]
       ) AS found`,
      [accountId, tag],
    );
    return row!.found;
  }

  /** Whether the database knows a time zone of this name. */
  async knowsTimeZone(name: string, em: EntityManager = this.dataSource.manager): Promise<boolean> {
    const [row] = await em.query<{ known: boolean }[]>(
      'SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1) AS known',
      [name],
    );
    return row!.known;
  }

  /** Adds a budget with nothing used, in its current window. */
  async insert(budget: NewBudget, em: EntityManager): Promise<void> {
    const { id, accountId, name, subject, keyId, tag, operations, amount, window, timeZone } = budget;
    await em.query(
      `INSERT INTO budget (id, account_id, name, subject, key_id, tag, operations, amount, window_kind, time_zone, window_start, window_end)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, w.window_start, w.window_end
       FROM credit_balance a, budget_window($9, $10, a.period_anchor, now()) w WHERE a.subject_id = $2`,
      [id, accountId, name, subject, keyId, tag, operations, amount, window, timeZone],
    );
  }

  /**
   * What a budget would have refused, had it been added `since`: of the charges that the ledger still has, each with what it has
   * cost in the end. The budget is added in a transaction that is rolled back, so that `budgets_of` decides what counts.
   *
   * @returns null when there are more charges than can be read within the time of a statement
   */
  async countRefusals(budget: NewBudget, since: Date): Promise<BudgetRefusals | null> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      await this.insert(budget, runner.manager);
      const values = [budget.accountId, since, 'infinity', budget.id];
      const [row] = await runner.manager.query<BudgetRefusals[]>(REFUSALS, values);
      return row!;
    } catch (error) {
      if (isStatementTimeout(error)) return null;
      throw error;
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  }

  async update(id: string, patch: BudgetPatch, em: EntityManager): Promise<void> {
    await em.update(Budget, { id }, { ...patch, version: () => 'version + 1' });
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.query(
      'WITH undo AS (DELETE FROM key_undo WHERE subject_id = $1) DELETE FROM budget WHERE id = $1',
      [id],
    );
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
