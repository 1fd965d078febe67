import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Grants, adjustments and holds, and what proves each charge. */
export class Ledger1795600000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(PERIODS);
    await queryRunner.query(HOLDS);
    await queryRunner.query(SETTLEMENT);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP VIEW current_credits;
      DROP FUNCTION settle_credits, end_hold, lock_balances, end_holds, add_used;
      DROP TABLE credit_hold;
      DELETE FROM credit_ledger WHERE kind NOT IN ('charge', 'refund') OR key_id IS NULL;
      DROP INDEX credit_ledger_page_idx;
      ALTER TABLE credit_ledger DROP COLUMN actor, DROP COLUMN key_limit, DROP COLUMN account_limit,
        ALTER COLUMN key_id SET NOT NULL,
        DROP CONSTRAINT credit_ledger_kind_check,
        ADD CONSTRAINT credit_ledger_kind_check CHECK (kind IN ('charge', 'refund'));
      ALTER TABLE credit_balance DROP COLUMN granted;
      ALTER TABLE credit_balance_history DROP COLUMN granted;
    `);
    await queryRunner.query(PERIODS_BEFORE);
  }
}

export const LOCK_BALANCES = `
-- Locks balances in one order, moves them into the current period and ends the holds whose deadline has passed: what is
-- read afterwards is what there is now. Everything that moves credits begins with this.
CREATE FUNCTION lock_balances(key_ids uuid[], account_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[] := key_ids || account_ids;
  lapsed_keys uuid[] := ARRAY(
    SELECT h.key_id FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now());
BEGIN
  ids := ids || lapsed_keys;
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (ids) ORDER BY b.subject_id FOR UPDATE;
  PERFORM roll_over_balances(ids);
  IF cardinality(lapsed_keys) > 0 THEN
    PERFORM end_holds(ARRAY(
      SELECT h FROM credit_hold h
      WHERE h.account_id = ANY (account_ids) AND h.deadline <= now() AND h.key_id = ANY (ids)), 'deadline');
  END IF;
END $$;`;

export const SETTLE_CREDITS = `
-- Takes the place of settle_charges, which stays for processes of the version before while an installation is upgraded.
-- The same rules, and: a charge with hold_secs is held until it is captured, released, or its deadline passes; grants
-- count; each line keeps the limits it was admitted under. A hold that was ended cannot be repeated: conflict.
CREATE FUNCTION settle_credits(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[], hold_secs int[])
RETURNS TABLE (pos bigint, outcome text, scope text, credit_limit bigint, remaining bigint, remaining_key bigint,
  remaining_account bigint, held_until timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM lock_balances(key_ids, account_ids);

  RETURN QUERY
  WITH request AS (
    SELECT r.*, CASE WHEN r.secs IS NULL THEN 'charge' ELSE 'hold' END AS kind
    FROM unnest(key_ids, account_ids, costs, operations, request_ids, hold_secs)
      WITH ORDINALITY AS r (key_id, account_id, cost, operation, request_id, secs, pos)
  ), earlier AS (
    SELECT r.pos, max(h.deadline) AS held_until,
      bool_and(l.kind = r.kind AND l.amount = r.cost AND l.operation = r.operation AND l.key_id = r.key_id
        AND (r.kind = 'charge' OR h.deadline IS NOT NULL)) AS same
    FROM request r
    JOIN credit_ledger l
      ON l.account_id = r.account_id AND l.request_id = r.request_id AND l.kind IN ('charge', 'hold')
    LEFT JOIN credit_hold h ON h.account_id = r.account_id AND h.request_id = r.request_id
    GROUP BY r.pos
  ), fresh AS (
    SELECT r.*,
      sum(r.cost) OVER (PARTITION BY r.key_id ORDER BY r.pos) AS key_running,
      sum(r.cost) OVER (PARTITION BY r.account_id ORDER BY r.pos) AS account_running
    FROM request r WHERE r.pos NOT IN (SELECT e.pos FROM earlier e)
  ), judged AS (
    SELECT f.*, a.period_start, k.credit_limit + k.granted AS key_limit, a.credit_limit + a.granted AS account_limit,
      now() + make_interval(secs => f.secs) AS held_until,
      coalesce(k.credit_limit + k.granted >= k.used + f.key_running, true)
        AND coalesce(a.credit_limit + a.granted >= a.used + f.account_running, true) AS admitted
    FROM fresh f
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
    SELECT s.subject_id, sum(s.cost) AS cost FROM (
      SELECT j.key_id AS subject_id, j.cost FROM judged j WHERE j.admitted
      UNION ALL SELECT j.account_id, j.cost FROM judged j WHERE j.admitted
    ) s GROUP BY s.subject_id
  ), moved AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM spent s WHERE b.subject_id = s.subject_id AND s.cost > 0
  ), left_over AS (
    SELECT b.subject_id, b.credit_limit + b.granted AS credit_limit,
      b.credit_limit + b.granted - b.used - coalesce(s.cost, 0)::bigint AS remaining
    FROM credit_balance b LEFT JOIN spent s ON s.subject_id = b.subject_id
    WHERE b.subject_id = ANY (key_ids || account_ids)
  )
  SELECT r.pos,
    CASE
      WHEN e.pos IS NOT NULL THEN CASE WHEN e.same THEN 'repeated' ELSE 'conflict' END
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
    coalesce(e.held_until, j.held_until)
  FROM request r
  LEFT JOIN earlier e ON e.pos = r.pos
  LEFT JOIN judged j ON j.pos = r.pos
  LEFT JOIN left_over k ON k.subject_id = r.key_id
  LEFT JOIN left_over a ON a.subject_id = r.account_id
  ORDER BY r.pos;
END $$;`;

const TABLES = `
-- Credits that staff have given beyond the limit, for the current period.
ALTER TABLE credit_balance ADD COLUMN granted bigint NOT NULL DEFAULT 0 CHECK (granted >= 0);
ALTER TABLE credit_balance_history ADD COLUMN granted bigint NOT NULL DEFAULT 0;

-- A line counts for its account and, if it names one, for its key.
ALTER TABLE credit_ledger
  ALTER COLUMN key_id DROP NOT NULL,
  ADD COLUMN actor text,
  -- What the key and the account could use in the period when the line was admitted; null for no limit, and on lines
  -- that no limit was asked about.
  ADD COLUMN key_limit bigint,
  ADD COLUMN account_limit bigint,
  DROP CONSTRAINT credit_ledger_kind_check,
  ADD CONSTRAINT credit_ledger_kind_check
    CHECK (kind IN ('charge', 'refund', 'hold', 'release', 'grant', 'adjustment'));
CREATE INDEX credit_ledger_page_idx ON credit_ledger (account_id, id);

CREATE TABLE credit_hold (
  account_id uuid NOT NULL,
  request_id text NOT NULL,
  key_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  operation text NOT NULL,
  deadline timestamptz NOT NULL,
  PRIMARY KEY (account_id, request_id)
);
CREATE INDEX credit_hold_deadline_idx ON credit_hold (deadline);
CREATE INDEX credit_hold_account_idx ON credit_hold (account_id, deadline);
`;

const PERIODS = `
-- As before; grants end with their period.
CREATE OR REPLACE FUNCTION roll_over_balances(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credit_balance_history (subject_id, period_start, account_id, credit_limit, granted, used)
    SELECT b.subject_id, b.period_start, b.account_id, b.credit_limit, b.granted, b.used
    FROM credit_balance b WHERE b.subject_id = ANY (ids) AND b.period_end <= now();
  IF FOUND THEN
    UPDATE credit_balance b SET used = 0, granted = 0, period_start = p.period_start, period_end = p.period_end
    FROM credit_balance o, billing_period(o.period_anchor, now()) p
    WHERE o.subject_id = b.subject_id AND b.subject_id = ANY (ids) AND b.period_end <= now();
  END IF;
END $$;

-- Adds to what was used in a period, which may have ended. The caller holds the locks of the balances.
CREATE FUNCTION add_used(ids uuid[], of_period timestamptz, amount bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE credit_balance SET used = used + amount WHERE subject_id = ANY (ids) AND period_start = of_period;
  UPDATE credit_balance_history SET used = used + amount WHERE subject_id = ANY (ids) AND period_start = of_period;
$$;
`;

const PERIODS_BEFORE = `
CREATE OR REPLACE FUNCTION roll_over_balances(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credit_balance_history (subject_id, period_start, account_id, credit_limit, used)
    SELECT b.subject_id, b.period_start, b.account_id, b.credit_limit, b.used
    FROM credit_balance b WHERE b.subject_id = ANY (ids) AND b.period_end <= now();
  IF FOUND THEN
    UPDATE credit_balance b SET used = 0, period_start = p.period_start, period_end = p.period_end
    FROM credit_balance o, billing_period(o.period_anchor, now()) p
    WHERE o.subject_id = b.subject_id AND b.subject_id = ANY (ids) AND b.period_end <= now();
  END IF;
END $$;
`;

export const END_HOLDS = `
-- Gives what is held back. The caller holds the locks of the balances, and with them the right to end the holds.
CREATE FUNCTION end_holds(holds credit_hold[], ended_by text) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (
    DELETE FROM credit_hold h USING unnest(holds) e
    WHERE h.account_id = e.account_id AND h.request_id = e.request_id RETURNING h.*
  ), line AS (
    INSERT INTO credit_ledger (account_id, key_id, period_start, kind, amount, operation, request_id, actor)
    SELECT e.account_id, e.key_id, e.period_start, 'release', -e.amount, e.operation, e.request_id, ended_by FROM ended e
  ), back AS (
    SELECT s.subject_id, s.period_start, sum(s.amount) AS amount FROM (
      SELECT e.key_id AS subject_id, e.period_start, e.amount FROM ended e
      UNION ALL SELECT e.account_id, e.period_start, e.amount FROM ended e
    ) s GROUP BY s.subject_id, s.period_start
  ), of_past AS (
    UPDATE credit_balance_history h SET used = h.used - b.amount FROM back b
    WHERE h.subject_id = b.subject_id AND h.period_start = b.period_start
  )
  UPDATE credit_balance c SET used = c.used - b.amount FROM back b
  WHERE c.subject_id = b.subject_id AND c.period_start = b.period_start
$$;
`;

export const END_HOLD = `
-- Ends a hold: charges what the work has really cost, or nothing when that is null.
-- Outcomes: ended; repeated (it was ended like this before); conflict (it was ended otherwise, by its deadline perhaps);
-- exceeded (less was held); unknown (there was no such hold).
CREATE FUNCTION end_hold(p_account_id uuid, p_request_id text, p_cost bigint, OUT outcome text, OUT held bigint)
LANGUAGE plpgsql AS $$
DECLARE
  hold credit_hold;
  charged bigint;
  its_key uuid;
BEGIN
  SELECT l.key_id, l.amount INTO its_key, held FROM credit_ledger l
    WHERE l.account_id = p_account_id AND l.request_id = p_request_id AND l.kind = 'hold';
  IF NOT FOUND THEN
    outcome := 'unknown';
    RETURN;
  END IF;
  PERFORM lock_balances(ARRAY[its_key], ARRAY[p_account_id]);
  SELECT * INTO hold FROM credit_hold h WHERE h.account_id = p_account_id AND h.request_id = p_request_id;
  IF NOT FOUND THEN
    SELECT l.amount INTO charged FROM credit_ledger l
      WHERE l.account_id = p_account_id AND l.request_id = p_request_id AND l.kind = 'charge';
    outcome := CASE WHEN charged IS NOT DISTINCT FROM p_cost THEN 'repeated' ELSE 'conflict' END;
  ELSIF p_cost > held THEN
    outcome := 'exceeded';
  ELSE
    PERFORM end_holds(ARRAY[hold], NULL);
    IF p_cost IS NOT NULL THEN
      INSERT INTO credit_ledger (account_id, key_id, period_start, kind, amount, operation, request_id)
        VALUES (p_account_id, hold.key_id, hold.period_start, 'charge', p_cost, hold.operation, p_request_id);
      PERFORM add_used(ARRAY[hold.key_id, p_account_id], hold.period_start, p_cost);
    END IF;
    outcome := 'ended';
  END IF;
END $$;
`;

const HOLDS = `${END_HOLDS}${LOCK_BALANCES}
${END_HOLD}`;

export const CURRENT_CREDITS = `
-- What there is now, by database time: with periods that nothing has moved into yet, and without holds that are over.
CREATE VIEW current_credits AS
SELECT b.subject_id, b.subject, b.account_id, b.credit_limit, p.period_start, p.period_end,
  CASE WHEN b.period_end > now() THEN b.granted ELSE 0 END AS granted,
  CASE WHEN b.period_end > now() THEN b.used - h.lapsed ELSE 0 END AS used,
  h.held
FROM credit_balance b
CROSS JOIN billing_period(b.period_anchor, now()) p
CROSS JOIN LATERAL (
  SELECT coalesce(sum(h.amount) FILTER (WHERE h.deadline <= now()), 0)::bigint AS lapsed,
    coalesce(sum(h.amount) FILTER (WHERE h.deadline > now()), 0)::bigint AS held
  FROM credit_hold h
  WHERE h.account_id = b.account_id AND b.subject_id IN (h.account_id, h.key_id) AND h.period_start = b.period_start
) h;
`;

const SETTLEMENT = `
${SETTLE_CREDITS}
${CURRENT_CREDITS}`;
