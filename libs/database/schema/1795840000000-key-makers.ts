import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REFUND_CHARGE } from './1795200000000-initial';
import { CURRENT_CREDITS, END_HOLD, END_HOLDS } from './1795600000000-ledger';
import { LOCKING, PLANS, SETTLEMENT } from './1795730000000-ledger-plans';

/** A key that a key has created draws on its maker's credits, and on those of the maker's makers. */
export class KeyMakers1795840000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(COLUMNS);
    await queryRunner.query(HOLDS);
    await queryRunner.query(REFUND);
    await queryRunner.query(LOCKS);
    await queryRunner.query(SETTLE);
    await queryRunner.query(VIEW);
    await queryRunner.query(SETTINGS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const former = [END_HOLDS, END_HOLD, REFUND_CHARGE, LOCKING, SETTLEMENT, CURRENT_CREDITS].map(toReplace);
    await queryRunner.query(`
      ${former.join('\n')}
      ${SETTINGS}
      DROP INDEX single_use_token_key_idx;
      ALTER TABLE credit_hold DROP COLUMN maker_ids;
      ALTER TABLE credit_ledger DROP COLUMN maker_ids, DROP COLUMN maker_limits;
      ALTER TABLE credit_balance DROP COLUMN maker_ids;
      ALTER TABLE api_key DROP COLUMN maker_ids, DROP COLUMN disabled_by_customer;
    `);
  }
}

const toReplace = (sql: string) => sql.replace(/CREATE (FUNCTION|VIEW)/, 'CREATE OR REPLACE $1');

const COLUMNS = `
-- The key that created a key, the key that created that one, and so on; null for a key that staff have created. At most
-- five: MAX_MAKERS.
ALTER TABLE api_key
  ADD COLUMN maker_ids uuid[] CHECK (cardinality(maker_ids) BETWEEN 1 AND 5),
  -- Whether a key of the customer has disabled it: only then may a key of the customer enable it again.
  ADD COLUMN disabled_by_customer boolean NOT NULL DEFAULT false;
UPDATE api_key SET disabled_by_customer = true WHERE disable_reason IN ('requested_by_customer', 'self_disabled');
CREATE INDEX api_key_makers_idx ON api_key USING gin (maker_ids) WHERE maker_ids IS NOT NULL;

-- The same, where the settlement reads it with the balance that it locks anyway.
ALTER TABLE credit_balance ADD COLUMN maker_ids uuid[];

-- The makers that a line has counted for, nearest first, and what each could use then. A maker that is detached later keeps
-- what was counted.
ALTER TABLE credit_ledger ADD COLUMN maker_ids uuid[], ADD COLUMN maker_limits bigint[];
ALTER TABLE credit_hold ADD COLUMN maker_ids uuid[];

CREATE INDEX single_use_token_key_idx ON single_use_token (key_id, expires_at);
`;

const HOLDS = `
-- As before, and gives back to the makers what the holds had counted for them.
CREATE OR REPLACE FUNCTION end_holds(holds credit_hold[], ended_by text) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (
    DELETE FROM credit_hold h USING unnest(holds) e
    WHERE h.account_id = e.account_id AND h.request_id = e.request_id RETURNING h.*
  ), line AS (
    INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id, actor)
    SELECT e.account_id, e.key_id, e.maker_ids, e.period_start, 'release', -e.amount, e.operation, e.request_id, ended_by
    FROM ended e
  ), back AS (
    SELECT s.subject_id, e.period_start, sum(e.amount) AS amount
    FROM ended e CROSS JOIN unnest(ARRAY[e.account_id, e.key_id] || e.maker_ids) AS s (subject_id)
    GROUP BY s.subject_id, e.period_start
  ), of_past AS (
    UPDATE credit_balance_history h SET used = h.used - b.amount FROM back b
    WHERE h.subject_id = b.subject_id AND h.period_start = b.period_start
  )
  UPDATE credit_balance c SET used = c.used - b.amount FROM back b
  WHERE c.subject_id = b.subject_id AND c.period_start = b.period_start
$$;

-- As before; what the work has cost counts for the makers that the hold has counted for.
CREATE OR REPLACE FUNCTION end_hold(p_account_id uuid, p_request_id text, p_cost bigint, OUT outcome text, OUT held bigint)
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
      INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id)
        VALUES (p_account_id, hold.key_id, hold.maker_ids, hold.period_start, 'charge', p_cost, hold.operation, p_request_id);
      PERFORM add_used(ARRAY[hold.key_id, p_account_id] || hold.maker_ids, hold.period_start, p_cost);
    END IF;
    outcome := 'ended';
  END IF;
END $$;
`;

const REFUND = `
-- As before, for the makers too.
CREATE OR REPLACE FUNCTION refund_charge(p_account_id uuid, p_request_id text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  charge credit_ledger;
  ids uuid[];
BEGIN
  SELECT * INTO charge FROM credit_ledger l
    WHERE l.account_id = p_account_id AND l.request_id = p_request_id AND l.kind = 'charge';
  IF NOT FOUND THEN RETURN 0; END IF;
  ids := ARRAY[charge.key_id, charge.account_id] || charge.maker_ids;
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (ids) ORDER BY b.subject, b.subject_id FOR UPDATE;
  INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id)
    VALUES (charge.account_id, charge.key_id, charge.maker_ids, charge.period_start, 'refund', -charge.amount,
      charge.operation, p_request_id)
    ON CONFLICT (account_id, request_id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM add_used(ids, charge.period_start, -charge.amount);
  RETURN charge.amount;
END $$;
`;

const LOCKS = `
-- As before, and the makers of the keys. Accounts are locked before keys: a process that has an account's lock is the only
-- one that moves credits of its keys, so that the makers can be locked when the keys have named them.
CREATE OR REPLACE FUNCTION lock_balances(key_ids uuid[], account_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids uuid[] := key_ids || account_ids;
  lapsed_keys uuid[];
  period_is_over boolean;
  have_makers boolean;
BEGIN
  IF EXISTS (SELECT FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now()) THEN
    lapsed_keys := ARRAY(
      SELECT h.key_id FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now());
    ids := ids || lapsed_keys;
  END IF;
  SELECT bool_or(b.period_end <= now()), bool_or(b.maker_ids IS NOT NULL) INTO period_is_over, have_makers FROM (
    SELECT c.period_end, c.maker_ids FROM credit_balance c WHERE c.subject_id = ANY (ids)
    ORDER BY c.subject, c.subject_id FOR UPDATE
  ) b;
  IF have_makers THEN
    ids := ids || ARRAY(
      SELECT DISTINCT m.id FROM credit_balance c CROSS JOIN unnest(c.maker_ids) AS m (id) WHERE c.subject_id = ANY (ids));
    SELECT bool_or(b.period_end <= now()) INTO period_is_over FROM (
      SELECT c.period_end FROM credit_balance c WHERE c.subject_id = ANY (ids) ORDER BY c.subject, c.subject_id FOR UPDATE
    ) b;
  END IF;
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

const SETTLE = `
-- As before, and a charge is admitted only if every maker of its key has room for it as well. What a key has left is the
-- least that it or one of its makers has left.
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
  ), payer AS MATERIALIZED (
    -- Place 1 is the account, 2 the key, and from 3 on its makers.
    SELECT r.pos, p.place, r.cost, b.subject_id, b.used, b.credit_limit + b.granted AS credit_limit, b.period_start, k.maker_ids,
      sum(r.cost) FILTER (WHERE r.earlier_kind IS NULL) OVER (PARTITION BY b.subject_id ORDER BY r.pos) AS running
    FROM request r
    JOIN credit_balance k ON k.subject_id = r.key_id
    CROSS JOIN LATERAL unnest(ARRAY[r.account_id, r.key_id] || k.maker_ids) WITH ORDINALITY AS p (subject_id, place)
    JOIN credit_balance b ON b.subject_id = p.subject_id
  ), judged AS MATERIALIZED (
    SELECT r.*, p.*, now() + make_interval(secs => r.secs) AS held_until
    FROM (
      SELECT p.pos AS its_pos, bool_and(coalesce(p.credit_limit >= p.used + p.running, true)) AS admitted,
        max(p.period_start) FILTER (WHERE p.place = 1) AS period_start,
        max(p.credit_limit) FILTER (WHERE p.place = 1) AS account_limit,
        max(p.credit_limit) FILTER (WHERE p.place = 2) AS key_limit,
        max(p.maker_ids) AS maker_ids,
        array_agg(p.credit_limit ORDER BY p.place) FILTER (WHERE p.place > 2) AS maker_limits
      FROM payer p GROUP BY p.pos HAVING count(*) = 2 + coalesce(cardinality(max(p.maker_ids)), 0)
    ) p
    JOIN request r ON r.pos = p.its_pos WHERE r.earlier_kind IS NULL
  ), line AS (
    INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id,
      key_limit, account_limit, maker_limits)
    SELECT j.account_id, j.key_id, j.maker_ids, j.period_start, j.kind, j.cost, j.operation, j.request_id,
      j.key_limit, j.account_limit, j.maker_limits
    FROM judged j WHERE j.admitted ORDER BY j.pos
  ), hold AS (
    INSERT INTO credit_hold (account_id, request_id, key_id, maker_ids, period_start, amount, operation, deadline)
    SELECT j.account_id, j.request_id, j.key_id, j.maker_ids, j.period_start, j.cost, j.operation, j.held_until
    FROM judged j WHERE j.admitted AND j.secs IS NOT NULL
  ), spent AS (
    SELECT p.subject_id, sum(p.cost)::bigint AS cost
    FROM payer p JOIN judged j ON j.pos = p.pos WHERE j.admitted GROUP BY p.subject_id
  ), moved AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM spent s WHERE b.subject_id = s.subject_id AND s.cost > 0
  ), left_over AS (
    SELECT l.pos,
      min(l.remaining) FILTER (WHERE l.place = 1) AS of_account,
      min(l.remaining) FILTER (WHERE l.place > 1) AS of_key,
      max(l.credit_limit) FILTER (WHERE l.place = 1) AS account_limit,
      (array_agg(l.credit_limit ORDER BY l.remaining) FILTER (WHERE l.place > 1))[1] AS key_limit
    FROM (
      SELECT p.pos, p.place, p.credit_limit, p.credit_limit - p.used - coalesce(s.cost, 0) AS remaining
      FROM payer p LEFT JOIN spent s ON s.subject_id = p.subject_id
    ) l GROUP BY l.pos
  )
  SELECT r.pos,
    CASE
      WHEN r.earlier_kind IS NOT NULL THEN
        CASE WHEN r.earlier_kind = r.kind AND r.amount = r.cost AND r.earlier_operation = r.operation AND r.earlier_key = r.key_id
          AND (r.kind = 'charge' OR r.deadline IS NOT NULL) THEN 'repeated' ELSE 'conflict' END
      WHEN j.pos IS NULL THEN 'unknown'
      WHEN j.admitted THEN 'charged'
      WHEN l.of_key < r.cost OR l.of_account < r.cost THEN 'refused'
      ELSE 'again'
    END,
    CASE WHEN l.of_key < r.cost THEN 'key' ELSE 'account' END,
    CASE WHEN l.of_key < r.cost THEN l.key_limit ELSE l.account_limit END,
    CASE WHEN l.of_key < r.cost THEN l.of_key ELSE l.of_account END,
    l.of_key,
    l.of_account,
    coalesce(r.deadline, j.held_until)
  FROM request r
  LEFT JOIN judged j ON j.pos = r.pos
  LEFT JOIN left_over l ON l.pos = r.pos
  ORDER BY r.pos;
END $$;
`;

const VIEW = `
-- As before; what is held counts for the makers too.
CREATE OR REPLACE VIEW current_credits AS
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
  WHERE h.account_id = b.account_id AND h.period_start = b.period_start
    AND (b.subject_id IN (h.account_id, h.key_id) OR b.subject_id = ANY (h.maker_ids))
) h;
`;

/** A function that is replaced loses its settings. */
const SETTINGS = `
${PLANS}
ALTER FUNCTION settle_credits SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION lock_balances SET plan_cache_mode = force_generic_plan;
`;
