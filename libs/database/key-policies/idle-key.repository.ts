import { keyWorks } from '../common/key-status-sql';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { POLICY_OF_ACCOUNT } from './key-policy.repository';

/** A key that people are warned about. */
export interface WarnedKey {
  keyId: string;
  accountId: string;
  lastUsedAt: Date | null;
  idleSince: Date;
  disablesAt: Date | null;
}

/** From when the idle time of a key counts. */
const SINCE = 'greatest(coalesce(u.last_used_at, k.created_at), i.counted_from)';

const WORKS = `${keyWorks('k')} AND a.status = 'active'`;

const KEYS = `api_key k JOIN account a ON a.id = k.account_id JOIN api_key_use u ON u.key_id = k.id`;

/** Keys that are not used, under the policies of tiers and accounts. */
@Injectable()
export class IdleKeyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Begins again with keys that were enabled after they were disabled; ends the warnings of those that are not idle by any
   * policy of now, so that a later warning comes in time; and gives the others the time that their policy now leaves them.
   */
  async cleanUp(em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE idle_key i SET counted_from = now(), warned_at = NULL, disables_at = NULL, disabled_at = NULL
       FROM api_key k WHERE k.id = i.key_id AND i.disabled_at IS NOT NULL AND k.disable_reason IS NULL`,
    );
    await em.query(
      `UPDATE idle_key i SET warned_at = NULL, disables_at = NULL
       WHERE i.disabled_at IS NULL AND i.warned_at IS NOT NULL AND NOT EXISTS (
         SELECT FROM ${KEYS} JOIN ${POLICY_OF_ACCOUNT}
         WHERE k.id = i.key_id AND k.deleted_at IS NULL AND ${SINCE} < now() - p.idle_warn_days * interval '1 day')`,
    );
    await em.query(
      `UPDATE idle_key i SET disables_at = i.warned_at + p.idle_disable_days * interval '1 day'
       FROM api_key k JOIN account a ON a.id = k.account_id JOIN ${POLICY_OF_ACCOUNT}
       WHERE k.id = i.key_id AND i.disabled_at IS NULL
         AND i.disables_at < i.warned_at + p.idle_disable_days * interval '1 day'`,
    );
  }

  /** Notes keys that have been idle for as long as their policy says; those that are news. */
  async warn(limit: number, em: EntityManager): Promise<WarnedKey[]> {
    return em.query<WarnedKey[]>(
      `WITH idle AS (
         SELECT k.id AS key_id, k.account_id, u.last_used_at, ${SINCE} AS since,
           now() + p.idle_disable_days * interval '1 day' AS disables_at
         FROM ${KEYS} JOIN ${POLICY_OF_ACCOUNT} LEFT JOIN idle_key i ON i.key_id = k.id
         WHERE ${WORKS} AND ${SINCE} < now() - p.idle_warn_days * interval '1 day'
           AND (i.warned_at IS NULL OR i.idle_since <> ${SINCE} OR (i.disables_at IS NULL AND p.idle_disable_days IS NOT NULL))
         ORDER BY k.id LIMIT $1
       ), noted AS (
         INSERT INTO idle_key AS i (key_id, idle_since, warned_at, disables_at)
         SELECT key_id, since, now(), disables_at FROM idle
         ON CONFLICT (key_id) DO UPDATE SET idle_since = excluded.idle_since, warned_at = excluded.warned_at,
             disables_at = excluded.disables_at
           WHERE i.warned_at IS NULL OR i.idle_since <> excluded.idle_since
             OR (i.disables_at IS NULL AND excluded.disables_at IS NOT NULL)
         RETURNING i.key_id
       )
       SELECT key_id AS "keyId", account_id AS "accountId", last_used_at AS "lastUsedAt", since AS "idleSince",
         disables_at AS "disablesAt"
       FROM idle JOIN noted USING (key_id) ORDER BY key_id`,
      [limit],
    );
  }

  /**
   * Keys whose time since the warning is over and that were not used meanwhile, locked together with their last use until the
   * transaction ends. A key whose use is being written down at this moment is left for another time.
   */
  async lockDue(limit: number, em: EntityManager): Promise<string[]> {
    const rows = await em.query<{ id: string }[]>(
      `SELECT k.id FROM idle_key i JOIN ${KEYS} ON k.id = i.key_id JOIN ${POLICY_OF_ACCOUNT}
       WHERE i.disables_at <= now() AND i.disabled_at IS NULL AND i.warned_at IS NOT NULL AND ${WORKS}
         AND p.idle_disable_days IS NOT NULL AND ${SINCE} = i.idle_since
       ORDER BY k.id LIMIT $1 FOR UPDATE OF u, k, i SKIP LOCKED`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  async markDisabled(keyIds: readonly string[], em: EntityManager): Promise<void> {
    await em.query('UPDATE idle_key SET disabled_at = now() WHERE key_id = ANY ($1)', [keyIds]);
  }

  /** Keys that were used before they were disabled, as it turned out: a use is written down a moment later. */
  async listUsedAfterAll(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT k.id FROM idle_key i JOIN ${KEYS} ON k.id = i.key_id
       WHERE i.disabled_at IS NOT NULL AND k.disable_reason = 'idle' AND k.deleted_at IS NULL
         AND a.status <> 'closed'
         AND u.last_used_at > i.idle_since ORDER BY k.id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }
}
