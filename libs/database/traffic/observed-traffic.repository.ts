import { OTHER_ADDRESSES, REFUSING_GATES, type TrafficOutcome } from '@app/domain/traffic/traffic';
import type { HourUse } from '@app/domain/dry-runs/limit-dry-run';
import type { RouteUse } from '@app/domain/dry-runs/permission-dry-run';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { KeyRefusal } from './key-refusal.entity';
import type { KeyRequest } from './key-request.entity';

/** How often a key was used in one way within one hour. */
export interface TrafficCount extends TrafficSum {
  keyId: string;
  hour: Date;
  /** Method and path with its placeholders. */
  route: string;
  /** Canonical text of the client's address; or `unknown`, or `other` for those that are not counted one by one. */
  address: string;
  outcome: TrafficOutcome;
}

/** The permission that a route of observed traffic requires, as the api said when it last started. */
interface RoutePermission {
  route: string;
  /** Null for a route that every key may call. */
  permission: string | null;
}

export type Refusal = Omit<KeyRefusal, 'id'>;
export type LetInRequest = Omit<KeyRequest, 'id'>;

/** Requests that have something in common, and when the first and the last of them came. */
export interface TrafficSum {
  requests: number;
  firstAt: Date;
  lastAt: Date;
}

export type AddressTraffic = TrafficSum & { address: string; outcome: TrafficOutcome };
export type RouteTraffic = TrafficSum & { route: string; outcome: TrafficOutcome };

export interface HourTraffic {
  hour: Date;
  outcome: TrafficOutcome;
  requests: number;
}

export interface DayTraffic {
  /** In UTC, as 2026-01-31. */
  day: string;
  outcome: TrafficOutcome;
  requests: number;
}

/** Any number that no other program uses on this database: one process at a time deletes what is old. */
const RETENTION_LOCK = 7_301_961;

const SUM = `sum(requests)::float8 AS requests, min(first_at) AS "firstAt", max(last_at) AS "lastAt"`;

@Injectable()
export class ObservedTrafficRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Adds to what was counted, and to when each gate has refused a key last. At most one count for the same key, hour, route, address and outcome. */
  async addCounts(counts: TrafficCount[], em: EntityManager = this.dataSource.manager): Promise<void> {
    if (counts.length === 0) return;
    // In one order everywhere, so that two processes that count the same do not deadlock.
    await em.query(
      `WITH counted AS (
         SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::bigint[],
           $7::timestamptz[], $8::timestamptz[]) c (key_id, hour, route, address, outcome, requests, first_at, last_at)
       ), refused AS (
         INSERT INTO key_last_refusal AS r (gate, key_id, at)
         SELECT outcome, key_id, max(last_at) FROM counted WHERE outcome = ANY ($9) GROUP BY 1, 2 ORDER BY 1, 2
         ON CONFLICT (gate, key_id) DO UPDATE SET at = excluded.at WHERE r.at < excluded.at
       )
       INSERT INTO observed_traffic AS t (key_id, hour, route, address, outcome, requests, first_at, last_at)
       SELECT * FROM counted ORDER BY 1, 2, 3, 4, 5
       ON CONFLICT (key_id, hour, route, address, outcome) DO UPDATE SET requests = t.requests + excluded.requests,
         first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)`,
      [
        counts.map((count) => count.keyId),
        counts.map((count) => count.hour),
        counts.map((count) => count.route),
        counts.map((count) => count.address),
        counts.map((count) => count.outcome),
        counts.map((count) => count.requests),
        counts.map((count) => count.firstAt),
        counts.map((count) => count.lastAt),
        REFUSING_GATES,
      ],
    );
  }

  /** Stores which permission each route requires; null for a route that every key may call. */
  async saveRoutes(
    routes: readonly RoutePermission[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO route_permission AS r (route, permission) SELECT * FROM unnest($1::text[], $2::text[]) ORDER BY 1
       ON CONFLICT (route) DO UPDATE SET permission = excluded.permission
         WHERE r.permission IS DISTINCT FROM excluded.permission`,
      [routes.map(({ route }) => route), routes.map(({ permission }) => permission)],
    );
  }

  /** Which permission each route requires that was ever served or introspected. */
  async listRoutePermissions(): Promise<RoutePermission[]> {
    return this.dataSource.query<RoutePermission[]>(
      'SELECT route, permission FROM route_permission ORDER BY route',
    );
  }

  /**
   * Keeps the addresses that a key used most within an hour one by one, and adds the others up.
   *
   * @param keep how many addresses
   */
  async foldRareAddresses(
    keyId: string,
    hour: Date,
    keep: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.query(
      `WITH rare AS (
         SELECT address FROM observed_traffic WHERE key_id = $1 AND hour = $2 AND address <> $4
         GROUP BY address ORDER BY sum(requests) DESC, address OFFSET $3
       ), folded AS (
         DELETE FROM observed_traffic t USING rare r WHERE t.key_id = $1 AND t.hour = $2 AND t.address = r.address
         RETURNING t.*
       )
       INSERT INTO observed_traffic AS t (key_id, hour, route, address, outcome, requests, first_at, last_at)
       SELECT key_id, hour, route, $4, outcome, sum(requests), min(first_at), max(last_at)
       FROM folded GROUP BY key_id, hour, route, outcome
       ON CONFLICT (key_id, hour, route, address, outcome) DO UPDATE SET requests = t.requests + excluded.requests,
         first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)`,
      [keyId, hour, keep, OTHER_ADDRESSES],
    );
  }

  /** Adds refusals and keeps, of each key they belong to, at least the newest `keep`, and hardly more. */
  async addRefusals(
    refusals: Refusal[],
    keep: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    if (refusals.length === 0) return;
    await em.query(
      `WITH added AS (
         INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id, cost)
         SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[],
           $8::text[], $9::bigint[])
       )
       DELETE FROM key_refusal WHERE id IN (
         SELECT old.id FROM (SELECT DISTINCT unnest($1::uuid[]) AS key_id) k
         CROSS JOIN LATERAL (
           SELECT r.id FROM key_refusal r WHERE r.key_id = k.key_id ORDER BY r.at DESC OFFSET $10
         ) old)`,
      [
        refusals.map((refusal) => refusal.keyId),
        refusals.map((refusal) => refusal.at),
        refusals.map((refusal) => refusal.route),
        refusals.map((refusal) => refusal.address),
        refusals.map((refusal) => refusal.gate),
        refusals.map((refusal) => refusal.reason),
        refusals.map((refusal) => refusal.status),
        refusals.map((refusal) => refusal.requestId),
        refusals.map((refusal) => refusal.cost),
        keep,
      ],
    );
  }

  /** The same of requests that were let in. */
  async addRequests(
    requests: LetInRequest[],
    keep: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    if (requests.length === 0) return;
    await em.query(
      `WITH added AS (
         INSERT INTO key_request (key_id, at, route, address, status, duration_ms, request_id)
         SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[])
       )
       DELETE FROM key_request WHERE id IN (
         SELECT old.id FROM (SELECT DISTINCT unnest($1::uuid[]) AS key_id) k
         CROSS JOIN LATERAL (
           SELECT r.id FROM key_request r WHERE r.key_id = k.key_id ORDER BY r.at DESC OFFSET $8
         ) old)`,
      [
        requests.map((request) => request.keyId),
        requests.map((request) => request.at),
        requests.map((request) => request.route),
        requests.map((request) => request.address),
        requests.map((request) => request.status),
        requests.map((request) => request.durationMs),
        requests.map((request) => request.requestId),
        keep,
      ],
    );
  }

  /** What a key was used for since a time, by address and outcome, most requests first. */
  async listAddresses(keyId: string, since: Date): Promise<AddressTraffic[]> {
    return this.dataSource.query<AddressTraffic[]>(
      `SELECT address, outcome, ${SUM} FROM observed_traffic WHERE key_id = $1 AND last_at >= $2 AND hour >= $3
       GROUP BY address, outcome ORDER BY requests DESC, address, outcome`,
      [keyId, since, hourBefore(since)],
    );
  }

  /** The same of all keys of an account. */
  async listAddressesOfAccount(accountId: string, since: Date): Promise<AddressTraffic[]> {
    return this.dataSource.query<AddressTraffic[]>(
      `SELECT address, outcome, ${SUM} FROM observed_traffic
       WHERE key_id IN (SELECT id FROM api_key WHERE account_id = $1) AND last_at >= $2 AND hour >= $3
       GROUP BY address, outcome ORDER BY requests DESC, address, outcome`,
      [accountId, since, hourBefore(since)],
    );
  }

  /** The same by route and outcome. */
  async listRoutes(keyId: string, since: Date): Promise<RouteTraffic[]> {
    return this.dataSource.query<RouteTraffic[]>(
      `SELECT route, outcome, ${SUM} FROM observed_traffic WHERE key_id = $1 AND last_at >= $2 AND hour >= $3
       GROUP BY route, outcome ORDER BY requests DESC, route, outcome`,
      [keyId, since, hourBefore(since)],
    );
  }

  /** What a key used since a time, by route, with the permission that each requires; without outcomes in `stopped`. */
  async listRouteUses(keyId: string, since: Date, stopped: readonly string[]): Promise<RouteUse[]> {
    const rows = await this.dataSource.query<(RouteUse & { permission: string | null; known: boolean })[]>(
      `SELECT t.route, p.permission, p.route IS NOT NULL AS known, ${SUM}
       FROM observed_traffic t LEFT JOIN route_permission p ON p.route = t.route
       WHERE t.key_id = $1 AND t.last_at >= $2 AND t.hour >= $3 AND t.outcome <> ALL ($4)
       GROUP BY t.route, p.route ORDER BY requests DESC, t.route`,
      [keyId, since, hourBefore(since), stopped],
    );
    return rows.map(({ known, permission, ...use }) => ({
      ...use,
      permission: known ? permission : undefined,
    }));
  }

  /** Requests of each hour since a time, without outcomes in `stopped`. */
  async listHourUses(keyId: string, since: Date, stopped: readonly string[]): Promise<HourUse[]> {
    return this.dataSource.query<HourUse[]>(
      `SELECT hour, ${SUM} FROM observed_traffic
       WHERE key_id = $1 AND last_at >= $2 AND hour >= $3 AND outcome <> ALL ($4) GROUP BY hour ORDER BY hour`,
      [keyId, since, hourBefore(since), stopped],
    );
  }

  /** Requests of each hour since a time by outcome, oldest first; hours without requests are left out. */
  async listHours(keyId: string, since: Date): Promise<HourTraffic[]> {
    return this.dataSource.query<HourTraffic[]>(
      `SELECT hour, outcome, sum(requests)::float8 AS requests FROM observed_traffic
       WHERE key_id = $1 AND last_at >= $2 AND hour >= $3 GROUP BY hour, outcome ORDER BY hour, outcome`,
      [keyId, since, hourBefore(since)],
    );
  }

  /**
   * On which of the last 14 days (UTC), today last, any request came with these keys: 14 probes of the index a key, however many
   * requests there were. Keys that this database does not have are left out.
   */
  async listDaysInUse(
    keyIds: readonly string[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<{ keyId: string; days: boolean[] }[]> {
    return em.query<{ keyId: string; days: boolean[] }[]>(
      // With LIMIT each probe stays one: a join would read every row of a key.
      `SELECT k.id AS "keyId", ARRAY(
         SELECT (
           SELECT true FROM observed_traffic t
           WHERE t.key_id = k.id AND t.hour >= d.day AND t.hour < d.day + interval '24 hours' LIMIT 1
         ) IS NOT NULL
         FROM generate_series(13, 0, -1) g (ago), date_trunc('day', now() - g.ago * interval '24 hours', 'UTC') d (day)
         ORDER BY d.day
       ) AS days
       FROM api_key k WHERE k.id = ANY ($1)`,
      [keyIds],
    );
  }

  /** Requests with the keys of an account by day and outcome, deleted keys included; days without requests are left out. */
  async listAccountDays(accountId: string, since: Date): Promise<DayTraffic[]> {
    return this.dataSource.query<DayTraffic[]>(
      `SELECT to_char(t.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, t.outcome, sum(t.requests)::float8 AS requests
       FROM api_key k JOIN observed_traffic t ON t.key_id = k.id
       WHERE k.account_id = $1 AND t.hour >= $2 GROUP BY 1, 2 ORDER BY 1, 2`,
      [accountId, since],
    );
  }

  /** The newest refusals of a key, newest first. */
  async listRefusals(keyId: string, limit: number): Promise<KeyRefusal[]> {
    return this.dataSource.manager.find(KeyRefusal, {
      where: { keyId },
      order: { at: 'DESC', id: 'DESC' },
      take: limit,
    });
  }

  /**
   * Deletes one batch of what is older than some days, unless another process is doing so.
   *
   * @returns rows deleted
   */
  async deleteOld(days: number, limit: number): Promise<number> {
    return this.dataSource.transaction(async (em) => {
      const [lock] = await em.query<{ taken: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
        RETENTION_LOCK,
      ]);
      if (!lock?.taken) return 0;
      let deleted = 0;
      for (const { table, time } of RETAINED) {
        const [, rows] = await em.query<[unknown[], number]>(
          `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM ${table} WHERE ${time} < now() - make_interval(days => $1) LIMIT $2))`,
          [days, limit],
        );
        deleted += rows;
      }
      return deleted;
    });
  }
}

/** What is stored for some days only, and the column that says since when. */
const RETAINED = [
  { table: 'observed_traffic', time: 'hour' },
  { table: 'key_refusal', time: 'at' },
  { table: 'key_last_refusal', time: 'at' },
  { table: 'key_request', time: 'at' },
];

/** The beginning of the hour that a time lies in: lets the primary key find the rows. */
function hourBefore(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 3_600_000) * 3_600_000);
}
