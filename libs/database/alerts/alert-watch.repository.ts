import { keyWorks } from '../common/key-status-sql';
import { prepaidOf } from '../credits/current-balance';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { POLICY_OF_ACCOUNT } from '../key-policies/key-policy.repository';
import type { ContactCategory } from '@app/domain/alerts/alert-kinds';
import type { Noticed } from './alert.repository';

/** What is seen, under the names of `Noticed`. */
const SEEN = `s.rule_id AS "ruleId", s.account_id AS "accountId", s.key_id AS "keyId", s.subject, s.period, s.data`;

/** What is not noted yet. */
const IS_NEW = `NOT EXISTS (SELECT FROM alert a WHERE a.rule_id = s.rule_id AND a.subject = s.subject AND a.period = s.period)`;

const ISO = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A use of a key from an address that it was not used from before. */
export interface FirstUse {
  accountId: string;
  keyId: string;
  address: string;
  at: Date;
  /** Addresses that it was used from before, as far as traffic is stored. */
  former: string[];
}

/** Finds what rules speak of by looking at it, so that nothing on the way of a request need. Each query returns only what was not noted before. */
@Injectable()
export class AlertWatchRepository {
  /**
   * Every share of its credits, grants included, that an account or a key with a limit has reached in its current or its last
   * billing period, or a budget in its window, among accounts with a recipient: an endpoint that subscribes, or a contact. A share is
   * new once for each period and number of usable credits, so a raised limit or a grant arms it again. Only periods that ended after
   * the first recipient was added count; the last period of a key is checked for a day. A budget stores no former window: what it
   * reaches between the last check of a window and the first charge of the next one is not seen.
   *
   * @param everyone also accounts of which only the contacts of the installation are notified: reads every balance
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
         SELECT b.*, h.tier, h.since FROM heard h JOIN credit_balance b ON b.account_id = h.account_id WHERE b.credit_limit IS NOT NULL
       ), period AS (
         SELECT b.subject_id, nullif(b.subject_id, b.account_id) AS key_id, b.account_id, b.tier, b.period_start,
           usable_credits(b.credit_limit, b.granted + ${prepaidOf('b')}) AS usable, b.used, NULL::jsonb AS budget FROM balance b
         UNION ALL
         SELECT b.subject_id, nullif(b.subject_id, b.account_id), b.account_id, b.tier, h.period_start,
           usable_credits(h.credit_limit, h.granted), h.used, NULL FROM balance b
         CROSS JOIN LATERAL (SELECT * FROM credit_balance_history h WHERE h.subject_id = b.subject_id
                             ORDER BY h.period_start DESC LIMIT 1) h
         WHERE b.period_start > b.since AND (b.subject = 'account' OR b.period_start > now() - interval '1 day')
         UNION ALL
         SELECT t.id, t.key_id, t.account_id, h.tier, t.window_start, t.amount, t.used, jsonb_build_object(
           'id', t.id, 'name', t.name, 'window', t.window_kind, 'renews_at', ${ISO('t.window_end')})
         FROM heard h JOIN budget t ON t.account_id = h.account_id
       ), least AS (
         SELECT min(threshold) AS threshold FROM alert_rule WHERE kind = 'credits_used' AND enabled
       ), s AS (
         SELECT r.id AS rule_id, r.threshold, p.account_id, p.key_id,
           p.subject_id::text AS subject, ${ISO('p.period_start')} || ' of ' || p.usable AS period, p.period_start,
           jsonb_build_object('credits_used', p.used, 'credit_limit', p.usable,
             'period_start_unix', floor(extract(epoch FROM p.period_start))::bigint, 'budget', p.budget) AS data
         FROM least l JOIN period p ON p.usable > 0 AND p.used >= ceil(p.usable * l.threshold / 100.0)
         CROSS JOIN LATERAL alert_rules_of('credits_used', p.tier, p.account_id, p.key_id) r
         WHERE p.used >= ceil(p.usable * r.threshold / 100.0)
           AND NOT EXISTS (SELECT FROM api_key k WHERE k.id = p.key_id AND k.deleted_at IS NOT NULL)
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} ORDER BY s.account_id, s.subject, s.period_start, s.threshold`,
      [everyone],
    );
  }

  /** Keys that stop working soon, each by the shortest time of its rules that is not more than what is left; not those that never had longer. */
  async listExpiringKeys(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('keys')}, most AS (${outermost('key_expiring', 'max')}), s AS (
         SELECT DISTINCT ON (k.id) r.id AS rule_id, k.account_id, k.id AS key_id, k.id::text AS subject,
           ${ISO('k.expires_at')} AS period, jsonb_build_object('expires_at', ${ISO('k.expires_at')}) AS data
         FROM most m JOIN api_key k ON k.expires_at > now() AND k.expires_at <= now() + m.threshold * interval '1 day'
           AND ${keyWorks('k')}
         JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('key_expiring', h.tier, k.account_id, k.id) r
         WHERE k.expires_at <= now() + r.threshold * interval '1 day'
           AND k.expires_at > k.created_at + r.threshold * interval '1 day'
         ORDER BY k.id, r.threshold
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** Keys whose former secret stops working soon. */
  async listEndingRotations(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('keys')}, most AS (${outermost('rotation_ending', 'max')}), s AS (
         SELECT DISTINCT ON (k.id) r.id AS rule_id, k.account_id, k.id AS key_id, k.id::text AS subject,
           ${ISO('c.retires_at')} AS period, jsonb_build_object('retires_at', ${ISO('c.retires_at')}) AS data
         FROM most m JOIN api_key_secret c ON c.retires_at > now() AND c.retires_at <= now() + m.threshold * interval '1 hour'
         JOIN api_key k ON k.id = c.key_id AND ${keyWorks('k')}
         JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('rotation_ending', h.tier, k.account_id, k.id) r
         WHERE c.retires_at <= now() + r.threshold * interval '1 hour'
         ORDER BY k.id, r.threshold
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** Keys whose secret is, or soon will be, as old as their policy lets one become: each by the shortest time of its rules. */
  async listDueRotations(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('keys')}, s AS (
         SELECT DISTINCT ON (k.id) r.id AS rule_id, k.account_id, k.id AS key_id, k.id::text AS subject, ${ISO('d.due_at')} AS period,
           jsonb_build_object('secret_created_at', ${ISO('c.created_at')}, 'due_at', ${ISO('d.due_at')}) AS data
         FROM account a JOIN ${POLICY_OF_ACCOUNT} JOIN heard h ON h.account_id = a.id
         JOIN api_key k ON k.account_id = a.id AND ${keyWorks('k')}
         CROSS JOIN LATERAL (SELECT max(created_at) AS created_at FROM api_key_secret WHERE key_id = k.id) c
         CROSS JOIN LATERAL (SELECT c.created_at + p.rotation_age_days * interval '1 day' AS due_at) d
         CROSS JOIN LATERAL alert_rules_of('rotation_due', h.tier, k.account_id, k.id) r
         WHERE d.due_at <= now() + r.threshold * interval '1 day'
         ORDER BY k.id, r.threshold
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** Keys that work and were not used for long, by the longest time of their rules that has passed. */
  async listIdleKeys(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('keys')}, least AS (${outermost('key_idle', 'min')}), idle AS (
         SELECT k.id, k.account_id, k.created_at, u.last_used_at
         FROM least l CROSS JOIN api_key k LEFT JOIN api_key_use u ON u.key_id = k.id
         WHERE ${keyWorks('k')}
           AND k.created_at < now() - l.threshold * interval '1 day'
           AND coalesce(u.last_used_at, k.created_at) < now() - l.threshold * interval '1 day'
       ), s AS (
         SELECT DISTINCT ON (k.id) r.id AS rule_id, k.account_id, k.id AS key_id, k.id::text AS subject,
           ${ISO('coalesce(k.last_used_at, k.created_at)')} AS period,
           jsonb_build_object('last_used_at', ${ISO('k.last_used_at')}) AS data
         FROM idle k JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('key_idle', h.tier, k.account_id, k.id) r
         WHERE coalesce(k.last_used_at, k.created_at) < now() - r.threshold * interval '1 day'
         ORDER BY k.id, r.threshold DESC
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** Keys whose allow-list refused a request lately: once a day, in UTC. */
  async listRefusedByLists(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('security')}, s AS (
         SELECT DISTINCT ON (r.id, f.key_id, (f.at AT TIME ZONE 'UTC')::date) r.id AS rule_id, k.account_id, k.id AS key_id, k.id::text AS subject,
           to_char(f.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS period,
           jsonb_build_object('address', f.address, 'at', ${ISO('f.at')}) AS data
         FROM key_refusal f JOIN api_key k ON k.id = f.key_id AND k.deleted_at IS NULL
         JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('list_refused', h.tier, k.account_id, k.id) r
         WHERE f.at > now() - interval '1 hour' AND f.gate = 'ip'
         ORDER BY r.id, f.key_id, (f.at AT TIME ZONE 'UTC')::date, f.at
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /**
   * Keys of which the share of a rule was refused in the current hour or the one before, for too many requests, without credits or
   * by their allow-list: once a day, in UTC, by the highest share that was reached. Some refusals are not a share yet.
   */
  async listRefusedKeys(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('keys')}, counted AS (
         SELECT t.key_id, t.hour, sum(t.requests) AS requests, sum(t.requests) FILTER (WHERE t.outcome = 'limit') AS too_many,
           sum(t.requests) FILTER (WHERE t.outcome = 'credits') AS no_credits,
           sum(t.requests) FILTER (WHERE t.outcome = 'ip') AS address,
           sum(t.requests) FILTER (WHERE t.outcome IN ('limit', 'credits', 'ip')) AS refused
         FROM observed_traffic t WHERE t.hour >= date_trunc('hour', now()) - interval '1 hour'
         GROUP BY 1, 2 HAVING sum(t.requests) FILTER (WHERE t.outcome IN ('limit', 'credits', 'ip')) >= ${FEWEST_REFUSALS}
       ), s AS (
         SELECT DISTINCT ON (c.key_id, (c.hour AT TIME ZONE 'UTC')::date) r.id AS rule_id, k.account_id, k.id AS key_id,
           k.id::text AS subject, to_char(c.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS period,
           jsonb_build_object('requests', c.requests, 'refused', c.refused, 'percent', floor(p.percent), 'from', ${ISO('c.hour')},
             'window_secs', 3600, 'too_many', coalesce(c.too_many, 0), 'no_credits', coalesce(c.no_credits, 0),
             'address', coalesce(c.address, 0)) AS data
         FROM counted c CROSS JOIN LATERAL (SELECT 100 * c.refused / c.requests AS percent) p
         JOIN api_key k ON k.id = c.key_id AND k.deleted_at IS NULL JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('key_refused', h.tier, k.account_id, k.id) r
         WHERE p.percent >= r.threshold
         ORDER BY c.key_id, (c.hour AT TIME ZONE 'UTC')::date, r.threshold DESC, c.hour
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** Receivers of webhooks that fail, or were switched off for that, by the longest time of their rules that has passed. */
  async listFailingReceivers(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('operations')}, s AS (
         SELECT DISTINCT ON (e.id) r.id AS rule_id, e.account_id, NULL::uuid AS key_id, e.id::text AS subject, ${ISO('f.at')} AS period,
           jsonb_build_object('receiver', e.name, 'since', ${ISO('f.at')}, 'error', coalesce(e.last_error, 'not recorded')) AS data
         FROM webhook_endpoint e JOIN heard h ON h.account_id = e.account_id
         CROSS JOIN LATERAL (SELECT coalesce(e.failing_since, e.disabled_at) AS at) f
         CROSS JOIN LATERAL alert_rules_of('receiver_failing', h.tier, e.account_id, NULL) r
         WHERE webhook_fails(e.disabled_reason, e.disabled_at, e.failing_since)
           AND f.at <= now() - r.threshold * interval '1 minute'
         ORDER BY e.id, r.threshold DESC
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /**
   * Networks, a /24 of IPv4 or a /48 of IPv6, that a key was served from lately and from which it was not in the days before
   * that are stored. Not in the first day of a key: everything is new to it.
   */
  async listNewNetworks(em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH ${heard('security')}, used AS (
         SELECT t.key_id, ${NETWORK('t.address')} AS network, min(t.first_at) AS first_at
         FROM observed_traffic t WHERE t.hour >= date_trunc('hour', now()) - interval '1 hour' AND t.outcome = 'served'
           AND t.address NOT IN ('unknown', 'other')
         GROUP BY 1, 2
       ), s AS (
         SELECT r.id AS rule_id, k.account_id, k.id AS key_id, k.id || ' ' || u.network AS subject, 'always' AS period,
           jsonb_build_object('network', u.network::text, 'at', ${ISO('u.first_at')}) AS data
         FROM used u JOIN api_key k ON k.id = u.key_id AND k.deleted_at IS NULL
         JOIN heard h ON h.account_id = k.account_id
         CROSS JOIN LATERAL alert_rules_of('new_network', h.tier, k.account_id, k.id) r
         WHERE EXISTS (SELECT FROM observed_traffic t WHERE t.key_id = u.key_id AND t.outcome = 'served'
                         AND t.first_at < u.first_at - interval '1 day')
           AND NOT EXISTS (SELECT FROM observed_traffic t WHERE t.key_id = u.key_id AND t.outcome = 'served'
                             AND t.first_at < u.first_at
                             AND ${NETWORK('t.address')} = u.network)
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
    );
  }

  /** First uses of addresses by keys lately, with those before them; not in the first day of a key. */
  async listFirstUses(em: EntityManager): Promise<FirstUse[]> {
    return em.query<FirstUse[]>(
      `WITH ${heard('security')}, used AS (
         SELECT t.key_id, t.address, min(t.first_at) AS first_at
         FROM observed_traffic t WHERE t.hour >= date_trunc('hour', now()) - interval '1 hour' AND t.outcome = 'served'
           AND t.address NOT IN ('unknown', 'other')
         GROUP BY 1, 2
       ), earlier AS (
         SELECT u.key_id, u.address, u.first_at, array_agg(DISTINCT t.address) AS former, min(t.first_at) AS since
         FROM used u JOIN observed_traffic t ON t.key_id = u.key_id AND t.outcome = 'served' AND t.first_at < u.first_at
           AND t.address NOT IN ('unknown', 'other')
         GROUP BY 1, 2, 3
       )
       SELECT k.account_id AS "accountId", k.id AS "keyId", e.address, e.first_at AS at, e.former
       FROM earlier e JOIN api_key k ON k.id = e.key_id AND k.deleted_at IS NULL JOIN heard h ON h.account_id = k.account_id
       WHERE e.since < e.first_at - interval '1 day' AND NOT e.address = ANY (e.former) LIMIT ${MOST}`,
    );
  }

  /** The next accounts whose spending someone is notified about, in the order of their ids. */
  async listSpenders(after: string | null, limit: number, em: EntityManager): Promise<string[]> {
    const rows = await em.query<{ id: string }[]>(
      `WITH ${heard('credits')} SELECT account_id AS id FROM heard WHERE $1::uuid IS NULL OR account_id > $1
       ORDER BY account_id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Those of the accounts that run out of credits before their period ends, within the time of a rule. */
  async listForecasts(accountIds: readonly string[], em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH s AS (
         SELECT DISTINCT ON (a.id) r.id AS rule_id, a.id AS account_id, NULL::uuid AS key_id, a.id::text AS subject,
           ${ISO('c.period_start')} || ' of ' || usable_credits(c.credit_limit, c.granted + c.prepaid) AS period,
           jsonb_build_object('runs_out_at', ${ISO('o.at')}, 'period_end', ${ISO('c.period_end')}) AS data
         FROM account a JOIN current_standing t ON t.account_id = a.id JOIN current_credits c ON c.subject_id = a.id
         CROSS JOIN LATERAL (SELECT now() + t.lasts_secs * interval '1 second' AS at) o
         CROSS JOIN LATERAL alert_rules_of('credits_forecast', a.tier, a.id, NULL) r
         WHERE a.id = ANY ($1) AND a.status = 'active' AND t.lasts_secs > 0 AND o.at <= now() + r.threshold * interval '1 day'
         ORDER BY a.id, r.threshold
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
      [accountIds],
    );
  }

  /**
   * Those of the accounts that used in the last 24 hours several times what was usual in the four weeks before, and at least a hundredth of
   * what they may use: once a day, in UTC, and not in the first week.
   */
  async listSpikes(accountIds: readonly string[], em: EntityManager): Promise<Noticed[]> {
    return em.query<Noticed[]>(
      `WITH heard AS (SELECT id AS account_id, tier FROM account WHERE id = ANY ($1)), paced AS (
         SELECT c.account_id, h.tier, usable_credits(c.credit_limit, c.granted + c.prepaid) AS usable, u.credits AS spent,
           b.credits / least(28, extract(epoch FROM now() - a.created_at) / 86400 - 1) AS usual
         FROM heard h JOIN account a ON a.id = h.account_id AND a.status = 'active' AND a.created_at < now() - interval '7 days'
         JOIN current_credits c ON c.subject_id = h.account_id AND usable_credits(c.credit_limit, c.granted + c.prepaid) > 0
         CROSS JOIN LATERAL (${spent("now() - interval '1 day'", 'now()')}) u
         CROSS JOIN LATERAL (${spent("now() - interval '29 days'", "now() - interval '1 day'")}) b
       ), s AS (
         SELECT DISTINCT ON (p.account_id) r.id AS rule_id, p.account_id, NULL::uuid AS key_id, p.account_id::text AS subject,
           to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS period,
           jsonb_build_object('spent', p.spent, 'usual', round(p.usual)) AS data
         FROM paced p CROSS JOIN LATERAL alert_rules_of('spend_spike', p.tier, p.account_id, NULL) r
         WHERE p.usual >= 1 AND p.spent >= p.usual * r.threshold AND p.spent >= p.usable / 100.0
         ORDER BY p.account_id, r.threshold DESC
       )
       SELECT ${SEEN} FROM s WHERE ${IS_NEW} LIMIT ${MOST}`,
      [accountIds],
    );
  }
}

/** Of fewer refusals of a key within an hour no share is worth a message. */
const FEWEST_REFUSALS = 10;

/** What one look finds of a kind; the rest is found by the next one. */
const MOST = 20_000;

/** Accounts that someone is notified about a category of: a contact, one of the installation, or a webhook for alerts. */
const heard = (category: ContactCategory) => `hears_all AS (
    SELECT FROM contact WHERE account_id IS NULL AND unsubscribed_at IS NULL AND '${category}' = ANY (categories) LIMIT 1
  ), heard AS (
    SELECT a.id AS account_id, a.tier FROM account a WHERE a.status <> 'closed' AND (EXISTS (SELECT FROM hears_all)
      OR a.id IN (SELECT c.account_id FROM contact c WHERE c.unsubscribed_at IS NULL AND '${category}' = ANY (c.categories)
                  UNION SELECT e.account_id FROM webhook_endpoint e
                  WHERE e.disabled_at IS NULL AND e.events && '{alert.raised,key.expiring,key.limited}'))
  )`;

/** The farthest threshold of any rule of a kind: what is beyond it need not be looked at. */
const outermost = (kind: string, aggregate: 'min' | 'max') =>
  `SELECT ${aggregate}(threshold) AS threshold FROM alert_rule WHERE kind = '${kind}' AND enabled`;

/** What the account of `c` has used in a time, from the lines of its periods. */
const spent = (
  from: string,
  to: string,
) => `SELECT coalesce(sum(l.amount), 0)::float8 AS credits FROM credit_ledger l
  WHERE l.account_id = c.account_id AND l.kind <> 'grant' AND l.period_start > ${from} - interval '32 days'
    AND l.created_at >= ${from} AND l.created_at < ${to}`;

const NETWORK = (address: string) =>
  `CASE WHEN ${address} NOT IN ('unknown', 'other')
     THEN network(set_masklen(${address}::inet, CASE family(${address}::inet) WHEN 4 THEN 24 ELSE 48 END)) END`;
