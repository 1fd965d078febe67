import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A share of an account's credits that is used up, and of which nobody was told yet. */
export interface ReachedQuota {
  accountId: string;
  threshold: number;
  used: number;
  creditLimit: number;
  periodStart: Date;
}

@Injectable()
export class WebhookQuotaRepository {
  /**
   * Notes every threshold that an account has reached in its present or its last billing period and that was not noted
   * before, among accounts with an endpoint that wants to be told and is older than the end of that period.
   *
   * Reads only accounts with such an endpoint: settling charges costs nothing more.
   */
  async noteReached(thresholds: readonly number[], em: EntityManager): Promise<ReachedQuota[]> {
    return em.query<ReachedQuota[]>(
      `WITH subscribed AS (
         SELECT e.account_id, min(e.created_at) AS since FROM webhook_endpoint e
         WHERE e.disabled_at IS NULL AND 'quota.reached' = ANY (e.events) GROUP BY e.account_id
       ), period AS (
         SELECT b.subject_id, b.period_start, b.credit_limit, b.used FROM subscribed s
         JOIN credit_balance b ON b.subject_id = s.account_id
         UNION ALL
         SELECT h.subject_id, h.period_start, h.credit_limit, h.used FROM subscribed s
         JOIN credit_balance b ON b.subject_id = s.account_id AND b.period_start > s.since
         CROSS JOIN LATERAL (SELECT * FROM credit_balance_history h WHERE h.subject_id = s.account_id
                             ORDER BY h.period_start DESC LIMIT 1) h
       ), reached AS (
         SELECT p.*, t.threshold FROM period p, unnest($1::int[]) AS t (threshold)
         WHERE p.credit_limit > 0 AND p.used >= ceil(p.credit_limit * t.threshold / 100.0)
       ), noted AS (
         INSERT INTO webhook_quota_notice (account_id, period_start, threshold)
         SELECT r.subject_id, r.period_start, r.threshold FROM reached r
         ON CONFLICT DO NOTHING RETURNING account_id, period_start, threshold
       )
       SELECT r.subject_id AS "accountId", r.threshold, r.used::float8 AS used, r.credit_limit::float8 AS "creditLimit",
         r.period_start AS "periodStart"
       FROM noted n JOIN reached r
         ON r.subject_id = n.account_id AND r.period_start = n.period_start AND r.threshold = n.threshold
       ORDER BY r.subject_id, r.period_start, r.threshold`,
      [thresholds],
    );
  }
}
