import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Noticed } from './alert.repository';

/** What is seen, under the names of `Noticed`. */
const SEEN = `s.rule_id AS "ruleId", s.account_id AS "accountId", s.key_id AS "keyId", s.subject, s.period, s.data`;

/** What is not noted yet. */
const IS_NEW = `NOT EXISTS (SELECT FROM alert a WHERE a.rule_id = s.rule_id AND a.subject = s.subject AND a.period = s.period)`;

const ISO = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Finds what rules speak of by looking at it, so that nothing on the way of a request need. Each query returns only what was not noted before. */
@Injectable()
export class AlertWatchRepository {
  /**
   * Every share of credits that an account, or a key with a limit of its own, has reached in its present or its last billing
   * period, among accounts that someone hears about: an endpoint that subscribes, or a contact. Only periods that ended after
   * the first of them was added count; the last period of a key is looked at for a day.
   *
   * @param everyone also accounts that only the contacts of the installation hear about: reads every balance
   */
  async listReachedQuotas(everyone: boolean, em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH hearing AS (
         SELECT e.account_id, e.created_at FROM webhook_endpoint e WHERE e.disabled_at IS NULL AND 'quota.reached' = ANY (e.events)
         UNION ALL
         SELECT c.account_id, c.created_at FROM contact c
         WHERE c.account_id IS NOT NULL AND c.unsubscribed_at IS NULL AND 'credits' = ANY (c.categories)
         UNION ALL
         SELECT a.id, c.created_at FROM contact c CROSS JOIN account a
         WHERE $1 AND c.account_id IS NULL AND c.unsubscribed_at IS NULL AND 'credits' = ANY (c.categories)
       ), heard AS (
         SELECT h.account_id, a.tier, min(h.created_at) AS since FROM hearing h JOIN account a ON a.id = h.account_id GROUP BY 1, 2
       ), balance AS (
         SELECT b.*, h.tier, h.since FROM heard h JOIN credit_balance b ON b.account_id = h.account_id WHERE b.credit_limit > 0
       ), period AS (
         SELECT b.subject_id, b.subject, b.account_id, b.tier, b.period_start, b.credit_limit, b.used FROM balance b
         UNION ALL
         SELECT b.subject_id, b.subject, b.account_id, b.tier, h.period_start, h.credit_limit, h.used FROM balance b
         CROSS JOIN LATERAL (SELECT * FROM credit_balance_history h WHERE h.subject_id = b.subject_id
                             ORDER BY h.period_start DESC LIMIT 1) h
         WHERE b.period_start > b.since AND (b.subject = 'account' OR b.period_start > now() - interval '1 day')
       ), least AS (
         SELECT min(threshold) AS threshold FROM alert_rule WHERE kind = 'credits_used' AND enabled
       ), s AS (
         SELECT r.id AS rule_id, r.threshold, p.account_id, nullif(p.subject_id, p.account_id) AS key_id,
           p.subject_id::text AS subject, ${ISO('p.period_start')} AS period, p.period_start,
           jsonb_build_object('credits_used', p.used, 'credit_limit', p.credit_limit,
             'period_start_unix', floor(extract(epoch FROM p.period_start))::bigint) AS data
         FROM least l JOIN period p ON p.credit_limit > 0 AND p.used >= ceil(p.credit_limit * l.threshold / 100.0)
         CROSS JOIN LATERAL alert_rules_of('credits_used', p.tier, p.account_id, nullif(p.subject_id, p.account_id)) r
         WHERE p.used >= ceil(p.credit_limit * r.threshold / 100.0)
           AND NOT EXISTS (SELECT FROM api_key k WHERE k.id = p.subject_id AND k.deleted_at IS NOT NULL)
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} ORDER BY s.account_id, s.subject, s.period_start, s.threshold`,
      [everyone],
    );
  }
}
