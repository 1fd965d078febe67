import type { ArchivedMonth, ClosingSum } from '@app/domain/credits/ledger-archive';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** A month of the ledger that has a partition. */
export interface LedgerMonth {
  /** As 2026-01. */
  month: string;
  /** Lines, as PostgreSQL estimates them. */
  linesAbout: number;
  bytes: number;
  /** Whether every billing period that began in it has ended, and the one after it: until then a request id may be repeated. */
  isOver: boolean;
}

/** Any number that no other program uses on this database: one process archives at a time. */
const ARCHIVE_LOCK = 7_301_971;

/** What a file has of a line: the columns of the view credit_ledger that it has from the line. */
const COLUMNS = `id, account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id, created_at, actor,
  key_limit, account_limit, maker_limits, budgets, budget_windows, budget_limits, end_user`;

/** Lines of the month `$1`, which is the first day of one. */
const OF_MONTH = `period_start >= $1::date::timestamp AT TIME ZONE 'UTC'
  AND period_start < ($1::date + interval '1 month') AT TIME ZONE 'UTC'`;

/** Moves months between the ledger and files. Connects as the role that owns the schema. */
@Injectable()
export class LedgerArchiveRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Creates the partitions that are missing, for this month and `ahead` more; returns how many. */
  async makeMonths(ahead: number, em: EntityManager = this.dataSource.manager): Promise<number> {
    return (await em.query<unknown[]>('SELECT make_ledger_months($1)', [ahead])).length;
  }

  /** Months that are in the database, oldest first. */
  async listMonths(): Promise<LedgerMonth[]> {
    return this.dataSource.query<LedgerMonth[]>(
      `SELECT to_char(month, 'YYYY-MM') AS month, greatest(0, lines_about)::float8 AS "linesAbout", bytes::float8 AS bytes,
         (month + interval '3 months') AT TIME ZONE 'UTC' <= now() AS "isOver"
       FROM ledger_month ORDER BY month`,
    );
  }

  /** Lines that are in no month's partition, and how many of this month and the next have none. */
  async findMissing(): Promise<{ linesElsewhere: number; monthsMissing: number }> {
    const [row] = await this.dataSource.query<{ linesElsewhere: number; monthsMissing: number }[]>(
      `SELECT (SELECT lines FROM ledger_elsewhere)::int AS "linesElsewhere",
         (SELECT count(*) FROM generate_series(0, 1) n WHERE NOT EXISTS (
           SELECT FROM ledger_month m
           WHERE m.month = (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date))::int AS "monthsMissing"`,
    );
    return row!;
  }

  /** Months that are in files, oldest first. */
  async listArchived(): Promise<ArchivedMonth[]> {
    return this.dataSource.query<ArchivedMonth[]>(
      `SELECT to_char(month, 'YYYY-MM') AS month, lines::float8 AS lines, files, archived_at AS "archivedAt"
       FROM ledger_archive ORDER BY month`,
    );
  }

  /** What the lines of an archived month added up to, ordered by account or key and period. */
  async listClosings(month: string): Promise<ClosingSum[]> {
    return this.dataSource.query<ClosingSum[]>(
      `SELECT subject_id AS "subjectId", period_start AS "periodStart", used::text AS used, granted::text AS granted,
         lines::float8 AS lines
       FROM ledger_closing WHERE month = $1::date ORDER BY subject_id, period_start`,
      [firstDay(month)],
    );
  }

  /** Runs something while no other process archives or restores; null when one does. */
  async alone<T>(run: () => Promise<T>): Promise<T | null> {
    return this.dataSource.transaction(async (em) => {
      const [lock] = await em.query<{ taken: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
        ARCHIVE_LOCK,
      ]);
      return lock!.taken ? run() : null;
    });
  }

  /** Reads the lines of a month as they are at one moment, as JSON, `size` at a time. */
  async readLines(month: string, size: number, take: (lines: string[]) => Promise<void>): Promise<void> {
    await this.dataSource.transaction('REPEATABLE READ', async (em) => {
      await em.query(
        `DECLARE month_lines NO SCROLL CURSOR FOR SELECT row_to_json(l)::text AS line FROM (
           SELECT ${COLUMNS} FROM credit_ledger WHERE ${OF_MONTH.replaceAll('$1', `'${firstDay(month)}'`)}
         ) l`,
      );
      for (;;) {
        const rows = await em.query<{ line: string }[]>(`FETCH ${size} FROM month_lines`);
        if (rows.length > 0) await take(rows.map(({ line }) => line));
        if (rows.length < size) break;
      }
    });
  }

  /** Holds whose period began in a month and that have not ended. */
  async countHolds(month: string): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM credit_hold WHERE ${OF_MONTH}`,
      [firstDay(month)],
    );
    return row!.count;
  }

  /**
   * Writes what the lines of a month add up to and deletes them, all at once.
   *
   * @returns false when there are not as many lines as were written to files; nothing is changed then
   */
  async close({ month, lines, files }: Omit<ArchivedMonth, 'archivedAt'>): Promise<boolean> {
    const partition = `ledger_line_${month.replace('-', '_')}`;
    return this.dataSource.transaction(async (em) => {
      await em.query(`SET LOCAL lock_timeout = '2s'`);
      // Nothing is written to this month any more; charges of other months do not wait.
      await em.query(`LOCK TABLE ${partition} IN SHARE MODE`);
      const [now] = await em.query<{ lines: number }[]>(
        `SELECT count(*)::float8 AS lines FROM ledger_line WHERE ${OF_MONTH}`,
        [firstDay(month)],
      );
      if (now!.lines !== lines) return false;
      await em.query(CLOSE, [firstDay(month)]);
      await em.query('INSERT INTO ledger_archive (month, lines, files) VALUES ($1, $2, $3)', [
        firstDay(month),
        lines,
        JSON.stringify(files),
      ]);
      await em.query(`ALTER TABLE ledger_line DETACH PARTITION ${partition}`);
      await em.query(`DROP TABLE ${partition}`);
      return true;
    });
  }

  /**
   * Puts a month back: `fill` hands over its lines, as JSON. Charges wait at the end only, while the month is attached.
   *
   * @throws what `fill` throws; nothing is changed then
   */
  async reopen(
    month: string,
    fill: (add: (lines: string[]) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const partition = `ledger_line_${month.replace('-', '_')}`;
    await this.dataSource.transaction(async (em) => {
      await em.query(
        `CREATE TABLE ${partition} (LIKE ledger_line INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
      );
      await fill(async (lines) => {
        await em.query(`INSERT INTO ${partition} ${RESTORED_LINES}`, [`[${lines.join(',')}]`]);
      });
      await em.query('DELETE FROM ledger_closing WHERE month = $1::date', [firstDay(month)]);
      await em.query('DELETE FROM ledger_archive WHERE month = $1::date', [firstDay(month)]);
      await em.query('SELECT make_ledger_month($1::date)', [firstDay(month)]);
    });
  }
}

const firstDay = (month: string) => `${month}-01`;

/** As reconciliation adds lines up. */
const CLOSE = `
INSERT INTO ledger_closing (subject_id, period_start, account_id, month, used, granted, lines)
SELECT s.subject_id, l.period_start, l.account_id, $1::date, coalesce(sum(l.amount) FILTER (WHERE l.kind <> 'grant'), 0),
  coalesce(-sum(l.amount) FILTER (WHERE l.kind = 'grant'), 0), count(*)
FROM credit_ledger l
CROSS JOIN LATERAL unnest(array_remove(ARRAY[l.account_id, l.key_id], NULL) || l.maker_ids) AS s (subject_id)
WHERE ${OF_MONTH} GROUP BY 1, 2, 3`;

const RESTORED_LINES = `
  (id, period_start, created_at, amount, account_limit, key_limit, request, account, key, operation, kind, form, request_text,
   actor, makers, maker_limits, budgets, budget_windows, budget_limits, end_user)
SELECT l.id, l.period_start, l.created_at, l.amount, l.account_limit, l.key_limit, ledger_request(l.request_id, ledger_request_form(l.request_id)), a.number,
  k.number, ledger_operation_code(l.operation), ledger_kind_letter(l.kind), ledger_request_form(l.request_id),
  CASE ledger_request_form(l.request_id) WHEN 't' THEN l.request_id END, l.actor, balance_numbers(l.maker_ids), l.maker_limits,
  l.budgets, l.budget_windows, l.budget_limits, l.end_user
FROM json_to_recordset($1::json) AS l (id bigint, account_id uuid, key_id uuid, maker_ids uuid[], period_start timestamptz,
  kind text, amount bigint, operation text, request_id text, created_at timestamptz, actor text, key_limit bigint,
  account_limit bigint, maker_limits bigint[], budgets int[], budget_windows timestamptz[], budget_limits bigint[],
  end_user text)
JOIN credit_balance a ON a.subject_id = l.account_id LEFT JOIN credit_balance k ON k.subject_id = l.key_id`;
