import type { FollowedCell } from '@app/domain/common/backend-check';
import type { EntityManager } from 'typeorm';
import { SUBSCRIPTION, slotOf } from './report-tables';

type Queryable = Pick<EntityManager, 'query'>;

/** The subscriptions of a database to cells; none for one that is not a reporting database. */
export async function listSubscriptions(report: Queryable): Promise<FollowedCell[]> {
  return report.query<FollowedCell[]>(
    `SELECT substr(s.subname, $2::int) AS cell, s.subenabled AS "isEnabled", w."isRunning", w."silentSecs",
       (SELECT count(*)::int FROM pg_subscription_rel r WHERE r.srsubid = s.oid AND r.srsubstate NOT IN ('r', 's')) AS copying,
       coalesce((SELECT (t.apply_error_count + t.sync_error_count)::int FROM pg_stat_subscription_stats t WHERE t.subid = s.oid), 0) AS errors
     FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid CROSS JOIN LATERAL (
       SELECT coalesce(bool_or(w.pid IS NOT NULL), false) AS "isRunning",
         min(extract(epoch FROM clock_timestamp() - w.last_msg_receipt_time))::float8 AS "silentSecs"
       FROM pg_stat_subscription w WHERE w.subid = s.oid AND w.relid IS NULL) w
     WHERE d.datname = current_database() AND starts_with(s.subname, $1) ORDER BY s.subname`,
    [SUBSCRIPTION, SUBSCRIPTION.length + 1],
  );
}

/**
 * Bytes of the log of a cell, up to a position in it, that its reporting database has not confirmed; null when the cell has no
 * slot for one.
 */
export async function bytesBehind(cell: Queryable, mark: string, position: string): Promise<number | null> {
  const [row] = await cell.query<{ bytes: number }[]>(
    `SELECT greatest(0, pg_wal_lsn_diff($2, confirmed_flush_lsn))::float8 AS bytes
     FROM pg_replication_slots WHERE slot_name = $1`,
    [slotOf(mark), position],
  );
  return row?.bytes ?? null;
}
