import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What reconciliation can find wrong with an account or key in a billing period, or with a budget in its window. */
type ReconciliationProblem =
  /** The lines do not add up to what was used. */
  | 'used'
  /** The grants do not add up to what was granted. */
  | 'granted'
  /** What its periods took of prepaid grants is not what the grants have given. */
  | 'prepaid'
  /** The holds without a release do not add up to what is held. */
  | 'held'
  /** A charge or hold was admitted beyond the limit of that moment. */
  | 'over_limit'
  /** A request has two lines of the same kind. */
  | 'repeated';

/** A discrepancy: figures by the ledger and by the balance, all in credits. */
export interface ReconciliationBreach {
  subject: 'account' | 'key' | 'budget';
  subjectId: string;
  accountId: string;
  /** Of the billing period, or of a budget's window. */
  periodStart: Date;
  problems: ReconciliationProblem[];
  ledgerUsed: number;
  balanceUsed: number | null;
  ledgerGranted: number;
  balanceGranted: number | null;
  ledgerHeld: number;
  held: number;
  /** How far beyond its limit the worst charge went; 0 when none did. */
  overLimit: number;
}

@Injectable()
export class CreditReconciliationRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Ids of accounts after an id, in order. */
  async listAccounts(afterId: string | null, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM account WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2',
      [afterId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Reconciles accounts, their keys and all of their periods, and budgets in their current windows, as they stand at one moment. A limit that was lowered
   * below what had been used does not count as a breach: each line carries the limits that it was admitted under. Of months
   * that are archived it takes what their lines added up to; `greenroom doctor` compares that with the files.
   */
  async check(accountIds: readonly string[]): Promise<{ checked: number; breaches: ReconciliationBreach[] }> {
    const rows = await this.dataSource.query<(ReconciliationBreach & { checked: number })[]>(RECONCILIATION, [
      accountIds,
    ]);
    const breaches = rows
      .filter(({ problems }) => problems !== null)
      .map(({ checked: _, ...breach }) => breach);
    return { checked: rows[0]?.checked ?? 0, breaches };
  }
}

const RECONCILIATION = `
WITH adjustment AS (
  SELECT account_id AS subject_id, 'account' AS subject, account_id, period_start, id, kind, amount, account_limit AS limit_then,
    '' AS end_user
  FROM credit_ledger WHERE account_id = ANY ($1)
  UNION ALL
  SELECT key_id, 'key', account_id, period_start, id, kind, amount, key_limit, ''
  FROM credit_ledger WHERE account_id = ANY ($1) AND key_id IS NOT NULL
  UNION ALL
  SELECT m.id, 'key', l.account_id, l.period_start, l.id, l.kind, l.amount, m.limit_then, ''
  FROM credit_ledger l CROSS JOIN LATERAL unnest(l.maker_ids, l.maker_limits) AS m (id, limit_then)
  WHERE l.account_id = ANY ($1)
  UNION ALL
  -- A window that has ended is in the ledger only.
  SELECT t.id, 'budget', l.account_id, t.window_start, l.id, l.kind, l.amount, s.limit_then, s.end_user
  FROM credit_ledger l CROSS JOIN LATERAL unnest(l.budgets, l.budget_windows, l.budget_limits) AS w (number, window_start, limit_then)
  JOIN budget t ON t.number = w.number AND t.window_start = w.window_start AND t.window_end > now()
  -- A budget that each end user has separately has no limit in all, and no count for end users whose charges cost nothing.
  CROSS JOIN LATERAL (
    SELECT CASE WHEN t.subject <> 'end_user' THEN w.limit_then END, ''
    UNION ALL SELECT w.limit_then, l.end_user WHERE t.subject = 'end_user' AND l.amount <> 0
  ) s (limit_then, end_user)
  WHERE l.account_id = ANY ($1)
), running AS (
  SELECT m.*, sum(CASE kind WHEN 'grant' THEN 0 ELSE amount END)
    OVER (PARTITION BY subject_id, end_user, period_start ORDER BY id) AS used_then
  FROM adjustment m
), stored AS (
  SELECT subject_id, end_user, subject, account_id, period_start,
    coalesce(sum(amount) FILTER (WHERE kind <> 'grant'), 0) AS used,
    coalesce(-sum(amount) FILTER (WHERE kind = 'grant'), 0) AS granted,
    coalesce(sum(amount) FILTER (WHERE kind IN ('hold', 'release')), 0) AS held,
    coalesce(max(greatest(0, used_then - limit_then)) FILTER (WHERE kind IN ('charge', 'hold')), 0) AS over_limit
  FROM running GROUP BY subject_id, end_user, subject, account_id, period_start
), ledger AS (
  SELECT subject_id, end_user, subject, account_id, period_start, sum(used) AS used, sum(granted) AS granted, sum(held) AS held,
    max(over_limit) AS over_limit
  FROM (
    SELECT * FROM stored
    UNION ALL
    SELECT subject_id, '', CASE subject_id WHEN account_id THEN 'account' ELSE 'key' END, account_id, period_start, used, granted, 0, 0
    FROM ledger_closing WHERE account_id = ANY ($1)
  ) k GROUP BY subject_id, end_user, subject, account_id, period_start
), balance AS (
  SELECT subject_id, '' AS end_user, subject, account_id, period_start, used, granted
  FROM credit_balance WHERE account_id = ANY ($1)
  UNION ALL
  SELECT subject_id, '', CASE subject_id WHEN account_id THEN 'account' ELSE 'key' END, account_id, period_start, used, granted
  FROM credit_balance_history WHERE account_id = ANY ($1)
  UNION ALL
  SELECT id, '', 'budget', account_id, window_start, used, 0 FROM budget WHERE account_id = ANY ($1) AND window_end > now()
  UNION ALL
  SELECT t.id, u.end_user, 'budget', t.account_id, t.window_start, u.used, 0
  FROM budget t JOIN budget_end_user u ON u.budget = t.number AND u.window_start = t.window_start
  WHERE t.account_id = ANY ($1) AND t.window_end > now()
), hold AS (
  SELECT s.subject_id, '' AS end_user, h.period_start, sum(h.amount) AS amount
  FROM credit_hold h CROSS JOIN LATERAL unnest(ARRAY[h.account_id, h.key_id] || h.maker_ids) AS s (subject_id)
  WHERE h.account_id = ANY ($1) GROUP BY s.subject_id, h.period_start
  UNION ALL
  SELECT t.id, s.end_user, t.window_start, sum(h.amount)
  FROM credit_hold h CROSS JOIN LATERAL unnest(h.budgets, h.budget_windows) AS w (number, window_start)
  JOIN budget t ON t.number = w.number AND t.window_start = w.window_start
  CROSS JOIN LATERAL (SELECT '' UNION ALL SELECT h.end_user WHERE t.subject = 'end_user') s (end_user)
  WHERE h.account_id = ANY ($1) GROUP BY t.id, s.end_user, t.window_start
), repeated AS (
  SELECT DISTINCT account_id, period_start FROM (
    SELECT account_id, period_start FROM credit_ledger WHERE account_id = ANY ($1)
    GROUP BY account_id, period_start, request, form, request_text, kind HAVING count(*) > 1
  ) r
), prepaid AS (
  -- Of an account, and not of its periods alone: it is reported with the current one.
  SELECT c.subject_id, c.period_start
  FROM credit_balance c
  LEFT JOIN (
    SELECT account_id, sum(amount - revoked - remaining) AS given FROM prepaid_grant WHERE account_id = ANY ($1) GROUP BY account_id
  ) g ON g.account_id = c.subject_id
  LEFT JOIN (
    SELECT subject_id, sum(prepaid_used) AS used FROM credit_balance_history WHERE account_id = ANY ($1) GROUP BY subject_id
  ) h ON h.subject_id = c.subject_id
  WHERE c.account_id = ANY ($1) AND c.subject = 'account' AND coalesce(g.given, 0) <> c.prepaid_used + coalesce(h.used, 0)
), figures AS (
  SELECT coalesce(b.subject_id, l.subject_id) AS subject_id, coalesce(b.end_user, l.end_user) AS end_user, coalesce(b.subject, l.subject) AS subject,
    coalesce(b.account_id, l.account_id) AS account_id, coalesce(b.period_start, l.period_start) AS period_start,
    coalesce(l.used, 0) AS ledger_used, b.used AS balance_used,
    coalesce(l.granted, 0) AS ledger_granted, b.granted AS balance_granted,
    coalesce(l.held, 0) AS ledger_held, coalesce(l.over_limit, 0) AS over_limit
  FROM balance b FULL JOIN ledger l ON l.subject_id = b.subject_id AND l.end_user = b.end_user AND l.period_start = b.period_start
), evaluated AS (
  SELECT k.*, coalesce(h.amount, 0) AS held, array_remove(ARRAY[
      CASE WHEN k.ledger_used IS DISTINCT FROM k.balance_used THEN 'used' END,
      CASE WHEN k.ledger_granted IS DISTINCT FROM k.balance_granted THEN 'granted' END,
      CASE WHEN d.subject_id IS NOT NULL THEN 'prepaid' END,
      CASE WHEN k.ledger_held <> coalesce(h.amount, 0) THEN 'held' END,
      CASE WHEN k.over_limit > 0 THEN 'over_limit' END,
      CASE WHEN r.account_id IS NOT NULL THEN 'repeated' END
    ], NULL) AS problems
  FROM figures k LEFT JOIN hold h ON h.subject_id = k.subject_id AND h.end_user = k.end_user AND h.period_start = k.period_start
  LEFT JOIN prepaid d ON d.subject_id = k.subject_id AND d.period_start = k.period_start
  LEFT JOIN repeated r ON r.account_id = k.subject_id AND r.period_start = k.period_start
)
SELECT c.checked, j.subject, j.subject_id AS "subjectId", j.account_id AS "accountId", j.period_start AS "periodStart",
  j.problems, j.ledger_used::float8 AS "ledgerUsed", j.balance_used::float8 AS "balanceUsed",
  j.ledger_granted::float8 AS "ledgerGranted", j.balance_granted::float8 AS "balanceGranted",
  j.ledger_held::float8 AS "ledgerHeld", j.held::float8 AS held, j.over_limit::float8 AS "overLimit"
FROM (SELECT count(*)::int AS checked FROM evaluated) c
LEFT JOIN evaluated j ON cardinality(j.problems) > 0
ORDER BY j.account_id, j.period_start, j.subject, j.subject_id, j.end_user
`;
