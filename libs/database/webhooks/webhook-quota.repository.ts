import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A share of the credits of an account or of one of its keys that is used up, before its event was sent. */
export interface ReachedQuota {
  accountId: string;
  /** Null for the account itself. */
  keyId: string | null;
  threshold: number;
  used: number;
  creditLimit: number;
  periodStart: Date;
}

@Injectable()
export class WebhookQuotaRepository {
  /**
   * Notes every threshold that an account, or a key with a limit of its own, has reached in its present or its last billing
   * period and that was not noted before, among accounts with an endpoint that subscribes and is older than the end
   * of that period. The last period of a key is looked at for a day.
   *
   * Reads only accounts with such an endpoint: settling charges costs nothing more.
   */
  async noteReached(thresholds: readonly number[], em: EntityManager): Promise<ReachedQuota[]> {
    return em.query<ReachedQuota[]>(
      `WITH subscribed AS (
         SELECT e.account_id, min(e.created_at) AS since FROM webhook_endpoint e
         WHERE e.disabled_at IS NULL AND 'quota.reached' = ANY (e.events) GROUP BY e.account_id
       ), balance AS (
         SELECT b.*, s.since FROM subscribed s JOIN credit_balance b ON b.account_id = s.account_id
         WHERE b.credit_limit > 0
       ), period AS (
         SELECT b.subject_id, b.subject, b.account_id, b.period_start, b.credit_limit, b.used FROM balance b
         UNION ALL
         SELECT b.subject_id, b.subject, b.account_id, h.period_start, h.credit_limit, h.used FROM balance b
         CROSS JOIN LATERAL (SELECT * FROM credit_balance_history h WHERE h.subject_id = b.subject_id
                             ORDER BY h.period_start DESC LIMIT 1) h
         WHERE b.period_start > b.since AND (b.subject = 'account' OR b.period_start > now() - interval '1 day')
       ), reached AS (
         SELECT p.*, t.threshold FROM period p, unnest($1::int[]) AS t (threshold)
         WHERE p.credit_limit > 0 AND p.used >= ceil(p.credit_limit * t.threshold / 100.0)
           AND NOT EXISTS (SELECT FROM api_key k WHERE k.id = p.subject_id AND k.deleted_at IS NOT NULL)
       ), noted AS (
         INSERT INTO webhook_quota_notice (subject_id, period_start, threshold)
         SELECT r.subject_id, r.period_start, r.threshold FROM reached r
         ON CONFLICT DO NOTHING RETURNING subject_id, period_start, threshold
       )
       SELECT r.account_id AS "accountId", nullif(r.subject_id, r.account_id) AS "keyId", r.threshold,
         r.used::float8 AS used, r.credit_limit::float8 AS "creditLimit", r.period_start AS "periodStart"
       FROM noted n JOIN reached r
         ON r.subject_id = n.subject_id AND r.period_start = n.period_start AND r.threshold = n.threshold
       ORDER BY r.account_id, r.subject_id, r.period_start, r.threshold`,
      [thresholds],
    );
  }
}
