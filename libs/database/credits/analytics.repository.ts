import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SUMS, USED } from './usage.repository';

/** What usage and requests are distinguished by. */
const ANALYTICS_COLUMNS = ['operation', 'key', 'end_user'] as const;
export type AnalyticsColumn = (typeof ANALYTICS_COLUMNS)[number];

/** Only lines whose column is one of the values, or only the others. A key is named by the digest of one of its secrets. */
export interface AnalyticsFilter {
  column: AnalyticsColumn;
  isIn: boolean;
  values: string[];
}

interface Range {
  from: Date;
  /** Exclusive. */
  to: Date;
}

/** What was used in one span, of one operation, by one key and for one end user where the query distinguishes them. */
export interface AnalyticsCell {
  /** Number of the span, from 0. */
  bucket: number;
  operation: string;
  /** Digest of the key's current secret; null for what no key has used. */
  digest: string | null;
  /** Null for none. */
  endUser: string | null;
  credits: number;
  requests: number;
}

/** A request that has cost credits, with what was refunded of them. */
export interface ChargedRequest {
  at: Date;
  requestId: string;
  operation: string;
  /** Digest of the key's current secret. */
  digest: string | null;
  /** Null for none. */
  endUser: string | null;
  credits: number;
}

/** Of lines `u` of USED. */
const COLUMNS: Record<AnalyticsColumn, string> = {
  operation: 'u.operation',
  key: 'u.key_id',
  end_user: 'u.end_user',
};

/** The digest of the current secret of a row's key. */
const CURRENT_DIGEST = `LEFT JOIN LATERAL (
    SELECT c.digest FROM api_key_secret c WHERE c.key_id = nullif(r.key_id, '')::uuid ORDER BY c.number DESC LIMIT 1
  ) s ON true`;

/** What an account has used, grouped and narrowed as its own programs request. */
@Injectable()
export class AnalyticsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Sums for each span and group with any lines, at most `limit` of them. `starts` are the beginnings of the spans, ascending. */
  async sum(
    accountId: string,
    range: Range,
    query: { starts: Date[]; by: readonly AnalyticsColumn[]; filters: AnalyticsFilter[]; limit: number },
  ): Promise<AnalyticsCell[]> {
    const { starts, by, filters, limit } = query;
    const values: unknown[] = [accountId, range.from, range.to, starts, limit];
    const group = (column: AnalyticsColumn) => (by.includes(column) ? COLUMNS[column] : `''`);
    return this.dataSource.query<AnalyticsCell[]>(
      `SELECT r.bucket, r.operation, s.digest, nullif(r.end_user, '') AS "endUser", r.credits, r.requests FROM (
         SELECT width_bucket(u.at, $4::timestamptz[]) - 1 AS bucket, ${group('operation')} AS operation,
           ${group('key')} AS key_id, ${group('end_user')} AS end_user, ${SUMS}
         FROM (${USED}) u WHERE ${matching(filters, values)} GROUP BY 1, 2, 3, 4 LIMIT $5
       ) r ${CURRENT_DIGEST} ORDER BY r.bucket, r.operation, s.digest, r.end_user COLLATE "C"`,
      values,
    );
  }

  /** The requests that match, in the order of their time. `search` is a part of their id or operation. */
  async listRequests(
    accountId: string,
    range: Range,
    query: { filters: AnalyticsFilter[]; search: string; descending: boolean; limit: number },
  ): Promise<ChargedRequest[]> {
    const { filters, search, descending, limit } = query;
    const values: unknown[] = [accountId, range.from, range.to, limit, search];
    const direction = descending ? 'DESC' : 'ASC';
    return this.dataSource.query<ChargedRequest[]>(
      `SELECT r.at, r.request_id AS "requestId", r.operation, s.digest, nullif(r.end_user, '') AS "endUser", r.credits FROM (
         SELECT u.at, u.request_id, u.operation, u.key_id, u.end_user, sum(u.amount)::float8 AS credits
         FROM (${USED}) u
         WHERE strpos(lower(u.request_id || ' ' || u.operation), lower($5)) > 0 AND ${matching(filters, values)}
         GROUP BY 1, 2, 3, 4, 5 HAVING bool_or(u.is_request)
         ORDER BY u.at ${direction}, u.request_id ${direction} LIMIT $4
       ) r ${CURRENT_DIGEST} ORDER BY r.at ${direction}, r.request_id ${direction}`,
      values,
    );
  }
}

function matching(filters: AnalyticsFilter[], values: unknown[]): string {
  const conditions = filters.map(({ column, isIn, values: requested }) => {
    const place = `$${values.push(requested)}::text[]`;
    const list =
      column === 'key'
        ? `SELECT c.key_id::text FROM api_key_secret c WHERE c.digest = ANY (${place})`
        : `SELECT unnest(${place})`;
    return `${COLUMNS[column]} ${isIn ? 'IN' : 'NOT IN'} (${list})`;
  });
  return ['true', ...conditions].join(' AND ');
}
