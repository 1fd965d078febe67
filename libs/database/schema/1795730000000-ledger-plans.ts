import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LOCK_BALANCES, SETTLE_CREDITS } from './1795600000000-ledger';

/** The same rules of the ledger, at a cost that does not grow with it. */
export class LedgerPlans1795730000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(INDEXES);
    await queryRunner.query(LOCKING);
    await queryRunner.query(SETTLEMENT);
    await queryRunner.query(PLANS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${PLANS.replaceAll(' SET enable_seqscan = off', ' RESET enable_seqscan')}
      ${toReplace(LOCK_BALANCES)}
      ${toReplace(SETTLE_CREDITS)}
      DROP INDEX credit_ledger_request_idx;
      ALTER TABLE credit_ledger DROP CONSTRAINT credit_ledger_pkey, ADD PRIMARY KEY (id);
      CREATE UNIQUE INDEX credit_ledger_request_idx ON credit_ledger (account_id, request_id, kind);
      CREATE INDEX credit_ledger_page_idx ON credit_ledger (account_id, id);
    `);
  }
}

const toReplace = (sql: string) => sql.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');

const INDEXES = `
-- One index fewer to write for each line.
ALTER TABLE credit_ledger DROP CONSTRAINT credit_ledger_pkey, ADD PRIMARY KEY (account_id, id);
DROP INDEX credit_ledger_page_idx;
-- The only index that begins with the request: no other can be taken for finding one.
DROP INDEX credit_ledger_request_idx;
CREATE UNIQUE INDEX credit_ledger_request_idx ON credit_ledger (request_id, account_id, kind);
`;

export const LOCKING = `
-- As before; it looks for lapsed holds and ended periods first, and does nothing about them when there are none.
CREATE OR REPLACE FUNCTION lock_balances(key_ids uuid[], account_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[] := key_ids || account_ids;
  lapsed_keys uuid[];
  period_is_over boolean;
BEGIN
  IF EXISTS (SELECT FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now()) THEN
    lapsed_keys := ARRAY(
      SELECT h.key_id FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now());
    ids := ids || lapsed_keys;
  END IF;
  SELECT bool_or(b.period_end <= now()) INTO period_is_over
    FROM (SELECT c.period_end FROM credit_balance c WHERE c.subject_id = ANY (ids) ORDER BY c.subject_id FOR UPDATE) b;
  IF period_is_over THEN
    PERFORM roll_over_balances(ids);
  END IF;
  IF lapsed_keys IS NOT NULL THEN
    PERFORM end_holds(ARRAY(
      SELECT h FROM credit_hold h
      WHERE h.account_id = ANY (account_ids) AND h.deadline <= now() AND h.key_id = ANY (ids)), 'deadline');
  END IF;
END $$;
`;

export const SETTLEMENT = `
-- As before. The account of an earlier line is compared so that no index of accounts can be used: a plan that was made while
-- the ledger was small is kept by the connection, and would read all lines of the account later on.
CREATE OR REPLACE FUNCTION settle_credits(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[], hold_secs int[])
RETURNS TABLE (pos bigint, outcome text, scope text, credit_limit bigint, remaining bigint, remaining_key bigint,
  remaining_account bigint, held_until timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM lock_balances(key_ids, account_ids);

  RETURN QUERY
  WITH request AS MATERIALIZED (
    SELECT r.*, CASE WHEN r.secs IS NULL THEN 'charge' ELSE 'hold' END AS kind,
      e.kind AS earlier_kind, e.amount, e.operation AS earlier_operation, e.key_id AS earlier_key, e.deadline
    FROM unnest(key_ids, account_ids, costs, operations, request_ids, hold_secs)
      WITH ORDINALITY AS r (key_id, account_id, cost, operation, request_id, secs, pos)
    LEFT JOIN LATERAL (
      SELECT l.kind, l.amount, l.operation, l.key_id,
        (SELECT h.deadline FROM credit_hold h WHERE l.kind = 'hold' AND h.account_id = l.account_id AND h.request_id = l.request_id)
      FROM credit_ledger l
      WHERE l.request_id = r.request_id AND l.account_id IS NOT DISTINCT FROM r.account_id AND l.kind IN ('charge', 'hold')
      ORDER BY l.kind DESC LIMIT 1
    ) e ON true
  ), judged AS MATERIALIZED (
    SELECT f.*, a.period_start, k.credit_limit + k.granted AS key_limit, a.credit_limit + a.granted AS account_limit,
      now() + make_interval(secs => f.secs) AS held_until,
      coalesce(k.credit_limit + k.granted >= k.used + f.key_running, true)
        AND coalesce(a.credit_limit + a.granted >= a.used + f.account_running, true) AS admitted
    FROM (
      SELECT r.*,
        sum(r.cost) OVER (PARTITION BY r.key_id ORDER BY r.pos) AS key_running,
        sum(r.cost) OVER (PARTITION BY r.account_id ORDER BY r.pos) AS account_running
      FROM request r WHERE r.earlier_kind IS NULL
    ) f
    JOIN credit_balance k ON k.subject_id = f.key_id
    JOIN credit_balance a ON a.subject_id = f.account_id
  ), line AS (
    INSERT INTO credit_ledger (account_id, key_id, period_start, kind, amount, operation, request_id, key_limit, account_limit)
    SELECT j.account_id, j.key_id, j.period_start, j.kind, j.cost, j.operation, j.request_id, j.key_limit, j.account_limit
    FROM judged j WHERE j.admitted ORDER BY j.pos
  ), hold AS (
    INSERT INTO credit_hold (account_id, request_id, key_id, period_start, amount, operation, deadline)
    SELECT j.account_id, j.request_id, j.key_id, j.period_start, j.cost, j.operation, j.held_until
    FROM judged j WHERE j.admitted AND j.secs IS NOT NULL
  ), spent AS (
    SELECT s.subject_id, sum(s.cost)::bigint AS cost FROM (
      SELECT j.key_id AS subject_id, j.cost FROM judged j WHERE j.admitted
      UNION ALL SELECT j.account_id, j.cost FROM judged j WHERE j.admitted
    ) s GROUP BY s.subject_id
  ), moved AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM spent s WHERE b.subject_id = s.subject_id AND s.cost > 0
  ), left_over AS (
    SELECT b.subject_id, b.credit_limit + b.granted AS credit_limit,
      b.credit_limit + b.granted - b.used - coalesce(s.cost, 0) AS remaining
    FROM credit_balance b LEFT JOIN spent s ON s.subject_id = b.subject_id
    WHERE b.subject_id = ANY (key_ids || account_ids)
  )
  SELECT r.pos,
    CASE
      WHEN r.earlier_kind IS NOT NULL THEN
        CASE WHEN r.earlier_kind = r.kind AND r.amount = r.cost AND r.earlier_operation = r.operation AND r.earlier_key = r.key_id
          AND (r.kind = 'charge' OR r.deadline IS NOT NULL) THEN 'repeated' ELSE 'conflict' END
      WHEN j.pos IS NULL THEN 'unknown'
      WHEN j.admitted THEN 'charged'
      WHEN k.remaining < r.cost OR a.remaining < r.cost THEN 'refused'
      ELSE 'again'
    END,
    CASE WHEN k.remaining < r.cost THEN 'key' ELSE 'account' END,
    CASE WHEN k.remaining < r.cost THEN k.credit_limit ELSE a.credit_limit END,
    CASE WHEN k.remaining < r.cost THEN k.remaining ELSE a.remaining END,
    k.remaining,
    a.remaining,
    coalesce(r.deadline, j.held_until)
  FROM request r
  LEFT JOIN judged j ON j.pos = r.pos
  LEFT JOIN left_over k ON k.subject_id = r.key_id
  LEFT JOIN left_over a ON a.subject_id = r.account_id
  ORDER BY r.pos;
END $$;
`;

export const PLANS = `
-- Nor may a plan that was made while a table was small read the whole of it later on.
ALTER FUNCTION lock_balances SET enable_seqscan = off;
ALTER FUNCTION roll_over_balances SET enable_seqscan = off;
ALTER FUNCTION end_holds SET enable_seqscan = off;
ALTER FUNCTION end_hold SET enable_seqscan = off;
ALTER FUNCTION refund_charge SET enable_seqscan = off;
ALTER FUNCTION settle_credits SET enable_seqscan = off;
`;
