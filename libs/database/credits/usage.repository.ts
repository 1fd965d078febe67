import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What usage is broken down by. */
export type UsageSeries = 'none' | 'key' | 'operation' | 'end_user' | 'tag';

/** What one series has used in one span. */
export interface UsageCell {
  /** Number of the span, from 0. */
  bucket: number;
  /** Id of the key, the operation, the end user, the tag, or empty. */
  series: string;
  /** Name of the key, or the same. */
  name: string;
  credits: number;
  requests: number;
}

/** What one of the series that used most, or the others together, have used in one span. */
export interface RankedUsageCell extends Omit<UsageCell, 'series' | 'name'> {
  /** Null for the others. */
  series: string | null;
  name: string | null;
  /** Series that there are in all. */
  seriesInAll: number;
}

/** What one series has used on one day. */
export interface DailyUsageRow {
  day: string;
  series: string;
  name: string;
  credits: number;
  requests: number;
}

export interface UsageRow {
  /** In UTC, as 2026-01-31. */
  day: string;
  /** Empty for what no key has used. */
  keyId: string;
  keyName: string;
  operation: string;
  credits: number;
  requests: number;
}

/** Whose usage: an account's, or only that of one of its keys. */
interface UsageOwner {
  accountId: string;
  keyId: string | null;
}

interface UsageTotal {
  rows: number;
  credits: number;
  requests: number;
}

/**
 * The lines of an account that count as used from $2 to $3. What was refunded, and what a hold has cost in the end, counts
 * where it was spent first: a request that was held and then charged is one. A line lies in its billing period, which is at
 * most a month long: that finds the months that the lines are in.
 */
export const USED = `
  SELECT l.request_id, coalesce(l.key_id::text, '') AS key_id, l.operation, coalesce(l.end_user, '') AS end_user, l.amount, coalesce(o.created_at, l.created_at) AS at,
    l.kind IN ('charge', 'hold') AND o.created_at IS NULL AS is_request
  FROM credit_ledger l LEFT JOIN ledger_line o
    ON l.kind IN ('refund', 'release', 'charge') AND o.kind = CASE l.kind WHEN 'refund' THEN 'c' ELSE 'h' END::"char"
      AND uuid_hash_extended(o.request, 0) = uuid_hash_extended(l.request, 0) AND o.request = l.request AND o.form = l.form
      AND o.request_text IS NOT DISTINCT FROM l.request_text AND o.account IS NOT DISTINCT FROM l.account AND o.period_start = l.period_start
  WHERE l.account_id = $1 AND l.kind <> 'grant'
    AND l.period_start > $2::timestamptz - interval '32 days' AND l.period_start < $3
    AND coalesce(o.created_at, l.created_at) >= $2 AND coalesce(o.created_at, l.created_at) < $3`;

export const SUMS = `sum(u.amount)::float8 AS credits, (count(*) FILTER (WHERE u.is_request))::int AS requests`;

const ROWS = `
  SELECT to_char(u.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, u.key_id, u.operation, ${SUMS}
  FROM (${USED}) u WHERE $4::text IS NULL OR u.key_id = $4 GROUP BY 1, 2, 3`;

const SERIES: Record<UsageSeries, string> = {
  none: `''`,
  key: 'u.key_id',
  operation: 'u.operation',
  end_user: 'u.end_user',
  tag: `coalesce(t.tag, '')`,
};

/** Lines that count as used, with their series. A key with several tags counts for each of them, as it has them now. */
const LINES = `(${USED}) u`;
const TAGGED_LINES = `${LINES}
  LEFT JOIN (SELECT id::text AS key_id, unnest(tags) AS tag FROM api_key WHERE account_id = $1) t ON t.key_id = u.key_id`;

const linesBy = (by: UsageSeries) => (by === 'tag' ? TAGGED_LINES : LINES);

/** The names of series that are keys: an end user may be called like the id of one. */
const namesOf = (by: UsageSeries, rows: string) =>
  `LEFT JOIN api_key k ON ${by === 'key'} AND k.id::text = ${rows}.series`;

/** Sums of each series in each span: the beginnings of the spans are $4. */
const cellsBy = (by: UsageSeries) => `
  SELECT width_bucket(u.at, $4::timestamptz[]) - 1 AS bucket, ${SERIES[by]} AS series, ${SUMS}
  FROM ${linesBy(by)} GROUP BY 1, 2`;

/** Sums of each series on each day. */
const daysBy = (by: UsageSeries) => `
  SELECT to_char(u.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, ${SERIES[by]} AS series, ${SUMS}
  FROM ${linesBy(by)} GROUP BY 1, 2`;

/** What accounts have used, from the same lines as their balances. */
@Injectable()
export class UsageRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Sums for each span and series with any lines. `starts` are the beginnings of the spans, ascending. */
  async sum(
    accountId: string,
    range: { from: Date; to: Date },
    starts: Date[],
    by: UsageSeries,
  ): Promise<UsageCell[]> {
    return this.dataSource.query<UsageCell[]>(
      `SELECT s.bucket, s.series, coalesce(k.name, s.series) AS name, s.credits, s.requests
       FROM (${cellsBy(by)}) s ${namesOf(by, 's')} ORDER BY s.bucket, s.series`,
      [accountId, range.from, range.to, starts],
    );
  }

  /** Sums for each span, of the `limit` series that used most, the first of them most, and of the others together. */
  async sumLargest(
    accountId: string,
    range: { from: Date; to: Date },
    starts: Date[],
    { by, limit }: { by: UsageSeries; limit: number },
  ): Promise<RankedUsageCell[]> {
    return this.dataSource.query<RankedUsageCell[]>(
      // Without a join of the sums with themselves, which is planned badly: how many series there are is not known before.
      `SELECT c.bucket, c.series, coalesce(k.name, c.series) AS name, c.credits, c.requests,
         max(c.places) OVER ()::int AS "seriesInAll"
       FROM (
         SELECT p.bucket, least(p.place, $5 + 1) AS place, CASE WHEN p.place <= $5 THEN p.series END AS series,
           sum(p.credits) AS credits, sum(p.requests)::int AS requests, max(p.place) AS places
         FROM (
           SELECT s.*, dense_rank() OVER (ORDER BY s.total DESC, s.first_bucket, s.series COLLATE "C") AS place
           FROM (
             SELECT cell.*, sum(cell.credits) OVER series AS total, min(cell.bucket) OVER series AS first_bucket
             FROM (${cellsBy(by)}) cell WINDOW series AS (PARTITION BY cell.series)
           ) s
         ) p GROUP BY 1, 2, 3
       ) c ${namesOf(by, 'c')} ORDER BY c.place, c.bucket`,
      [accountId, range.from, range.to, starts, limit],
    );
  }

  /** What prepaid grants have paid in each span; what went back to them counts where it did. */
  async sumPrepaid(
    accountId: string,
    range: { from: Date; to: Date },
    starts: Date[],
  ): Promise<Pick<UsageCell, 'bucket' | 'credits'>[]> {
    return this.dataSource.query(
      `SELECT width_bucket(created_at, $4::timestamptz[]) - 1 AS bucket, -sum(amount)::float8 AS credits
       FROM credit_ledger
       WHERE account_id = $1 AND kind = 'grant' AND operation = 'prepaid' AND EXISTS (SELECT FROM prepaid_grant WHERE account_id = $1)
         AND period_start > $2::timestamptz - interval '32 days' AND period_start < $3 AND created_at >= $2 AND created_at < $3
       GROUP BY 1`,
      [accountId, range.from, range.to, starts],
    );
  }

  /** Sums for each day and series, newest first; after the row with this day and series. */
  async listDays(
    accountId: string,
    range: { from: Date; to: Date },
    { by, after, limit }: { by: UsageSeries; after: [string, string] | null; limit: number },
  ): Promise<DailyUsageRow[]> {
    return this.dataSource.query<DailyUsageRow[]>(
      `SELECT r.day, r.series, coalesce(k.name, '') AS name, r.credits, r.requests
       FROM (${daysBy(by)}) r ${namesOf(by, 'r')}
       WHERE $4::text IS NULL OR (r.day, r.series COLLATE "C") < ($4, $5 COLLATE "C")
       ORDER BY r.day DESC, r.series COLLATE "C" DESC LIMIT $6`,
      [accountId, range.from, range.to, ...(after ?? [null, null]), limit],
    );
  }

  /** Sums for each day, key and operation, newest first; after the row with this day, key and operation. */
  async list(
    { accountId, keyId }: UsageOwner,
    range: { from: Date; to: Date },
    { after, limit }: { after: [string, string, string] | null; limit: number },
  ): Promise<UsageRow[]> {
    return this.dataSource.query<UsageRow[]>(
      `SELECT r.day, r.key_id AS "keyId", coalesce(k.name, '') AS "keyName", r.operation, r.credits, r.requests
       FROM (${ROWS}) r LEFT JOIN api_key k ON k.id::text = r.key_id
       WHERE $5::text IS NULL
         OR (r.day, r.key_id COLLATE "C", r.operation COLLATE "C") < ($5, $6 COLLATE "C", $7 COLLATE "C")
       ORDER BY r.day DESC, r.key_id COLLATE "C" DESC, r.operation COLLATE "C" DESC LIMIT $8`,
      [accountId, range.from, range.to, keyId, ...(after ?? [null, null, null]), limit],
    );
  }

  /** What all these rows together are. */
  async total({ accountId, keyId }: UsageOwner, range: { from: Date; to: Date }): Promise<UsageTotal> {
    const [row] = await this.dataSource.query<UsageTotal[]>(
      `SELECT count(*)::int AS rows, coalesce(sum(r.credits), 0) AS credits, coalesce(sum(r.requests), 0)::int AS requests
       FROM (${ROWS}) r`,
      [accountId, range.from, range.to, keyId],
    );
    return row!;
  }
}
