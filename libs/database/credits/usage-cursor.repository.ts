import type { UsageLine } from '@app/domain/credits/usage-formats';
import type { UsageSink } from '@app/domain/credits/usage-sink';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { UsageCursor } from './usage-cursor.entity';

/** The right to send the next lines to a sink. */
export interface UsageLease {
  lease: string;
  /** The last line that was sent. */
  lineId: number;
  /** Lines behind it that have arrived. */
  ahead: number[];
}

/** How a worker leaves a cursor. */
export interface UsageProgress {
  lineId: number;
  ahead: number[];
  delivered: number;
  /** Why not everything was delivered; null when it was. */
  error: string | null;
  /** How long no worker sends then. */
  pauseSecs: number;
}

const LAST_ID = `coalesce(pg_sequence_last_value('ledger_line_id_seq'), 0)`;

/** Where sinks of usage stand, and the lines that they are still to get. */
@Injectable()
export class UsageCursorRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The last id that a line was given, and the first transaction that may have begun since; both of the same moment or later. */
  async readMark(): Promise<{ lineId: number; transaction: string }> {
    // In this order: what has drawn one of these ids had a transaction before the second statement.
    const [{ id }] = await this.dataSource.query<[{ id: string }]>(`SELECT ${LAST_ID} AS id`);
    const [{ transaction }] = await this.dataSource.query<[{ transaction: string }]>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS transaction',
    );
    return { lineId: Number(id), transaction };
  }

  /** Whether every transaction before this one has ended. */
  async hasPassed(transaction: string): Promise<boolean> {
    const [{ passed }] = await this.dataSource.query<[{ passed: boolean }]>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS passed',
      [transaction],
    );
    return passed;
  }

  /** A cursor; null before a worker has seen its sink. */
  async find(name: string): Promise<UsageCursor | null> {
    return this.dataSource.manager.findOneBy(UsageCursor, { name });
  }

  /** A cursor; a new one begins with the lines that come from now on. */
  async get(name: string): Promise<UsageCursor> {
    const found = await this.find(name);
    if (found) return found;
    await this.dataSource.query(
      `INSERT INTO usage_cursor (name, line_id) VALUES ($1, ${LAST_ID}) ON CONFLICT DO NOTHING`,
      [name],
    );
    return this.dataSource.manager.findOneByOrFail(UsageCursor, { name });
  }

  /** Takes the lease of a sink; null while another worker has it, or until a pause has ended. */
  async claim(name: string, secs: number): Promise<UsageLease | null> {
    const [rows] = await this.dataSource.query<
      [{ lease: string; lineId: string; ahead: string[] }[], number]
    >(
      `UPDATE usage_cursor SET lease = gen_random_uuid(), leased_until = now() + make_interval(secs => $2)
       WHERE name = $1 AND (leased_until IS NULL OR leased_until < now()) RETURNING lease, line_id AS "lineId", ahead`,
      [name, secs],
    );
    const [row] = rows;
    return row ? { lease: row.lease, lineId: Number(row.lineId), ahead: row.ahead.map(Number) } : null;
  }

  /** Moves the cursor and gives the lease back; does nothing when another worker has taken it, or staff have moved the cursor. */
  async release(
    name: string,
    { lease }: UsageLease,
    { lineId, ahead, delivered, error, pauseSecs }: UsageProgress,
  ): Promise<void> {
    await this.dataSource.query(
      `UPDATE usage_cursor SET line_id = $3, ahead = $7, delivered = delivered + $4, lease = NULL,
         delivered_at = CASE WHEN $4 > 0 THEN now() ELSE delivered_at END,
         leased_until = CASE WHEN $5::text IS NOT NULL THEN now() + make_interval(secs => $6) END,
         failures = CASE WHEN $5::text IS NOT NULL THEN failures + 1 ELSE 0 END,
         failing_since = CASE WHEN $5::text IS NOT NULL THEN coalesce(failing_since, now()) END,
         last_error = $5
       WHERE name = $1 AND lease = $2`,
      [name, lease, lineId, delivered, error, pauseSecs, ahead],
    );
  }

  /** Usage in the order of the ledger, after what has arrived and up to a line. */
  async listLines(
    { account, tag }: Pick<UsageSink, 'account' | 'tag'>,
    { lineId: after, ahead }: Pick<UsageLease, 'lineId' | 'ahead'>,
    upTo: number,
    limit: number,
  ): Promise<UsageLine[]> {
    const rows = await this.dataSource.query<(Omit<UsageLine, 'amount'> & { amount: string })[]>(
      `SELECT c.id, c.account_id AS "accountId", a.external_id AS "externalId", c.key_id AS "keyId", c.kind, c.amount,
         c.operation, c.end_user AS "endUser", c.created_at AS at
       FROM credit_ledger c JOIN account a ON a.id = c.account_id
       WHERE c.id > $1 AND c.id <= $2 AND c.id <> ALL ($6::bigint[]) AND c.kind <> 'grant'
         AND ($3::uuid IS NULL OR c.account_id = $3) AND ($4::text IS NULL OR $4 = ANY (a.tags))
       ORDER BY c.id LIMIT $5`,
      [after, upTo, account, tag, limit, ahead],
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amount: Number(amount) }));
  }

  /** Since when the first line behind a cursor waits, of whatever account; null when none does. */
  async findWaitingSince(lineId: number): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ at: Date | null }[]>(
      'SELECT min(created_at) AS at FROM ledger_line WHERE id > $1 AND id <= $1 + 1000',
      [lineId],
    );
    return row?.at ?? null;
  }

  /**
   * Moves a cursor to before the first line since a time; a worker that sends meanwhile moves it no more.
   *
   * @returns the line before it
   */
  async moveTo(name: string, from: Date, em: EntityManager): Promise<number> {
    const [row] = await em.query<{ id: string }[]>(
      `SELECT coalesce((SELECT min(id) FROM ledger_line WHERE created_at >= $1) - 1, ${LAST_ID}) AS id`,
      [from],
    );
    await em.query(
      `UPDATE usage_cursor SET line_id = $2, ahead = '{}', lease = NULL, leased_until = NULL, failures = 0 WHERE name = $1`,
      [name, row!.id],
    );
    return Number(row!.id);
  }
}
