-- Settles a batch of charges in one statement: any charges, while charge_batch and charge_budgeted_batch settle those that are all
-- new, final and within their limits, which nearly all are. Each array has one element for each charge, in the order in which the charges
-- are settled. An element of hold_secs is null for a charge that is final; otherwise the credits are held for so many seconds
-- and end_hold settles them. end_users is null when no charge names one.
--
-- How a charge is admitted
--
-- A charge counts in full for each of its payers: its account, its key, every parent key of its key, and every budget that budgets_of
-- names. The parent keys are the key that created this key, the key that created that one, and so on; a key that staff created has
-- none.
--
-- The charge is admitted only if every payer has room for it. A payer has room when
--
--     this charge + the new charges before it in the batch that count for the same payer
--         <=  credits_left before the batch
--
-- in the payer's current billing period, or in the current window of a budget. A payer whose credit_limit is null always has
-- room. The charges before it include those that are not admitted themselves, so a charge may fail that would fit on its own; its outcome is then `again`.
--
-- What an account has left is credits_at_hand: behind the credits of the period come those of its prepaid grants. An admitted charge
-- takes of them what the period does not have, from the grant that ends first. Each part is granted to the period, by a line with
-- the operation `prepaid` beside that of the charge, so that what is used stays within what the period may use.
--
-- lock_balances locks all payers, the budgets with their account, before anything is read, and they stay locked until the
-- transaction ends: no other transaction can use the same room, and an admitted charge is in the ledger and in every payer's balance when the
-- transaction commits.
--
-- A request id is charged once for each account, in its billing period and the next: earlier lines are looked for in periods
-- that began within the last 62 days, so that no charge looks into every month there is. An id that is found there is not evaluated
-- again: it is `repeated` or `conflict`. The caller sends each id of an account at most once in a batch.
--
-- Outcomes:
--   charged   Admitted now, as a charge or as a hold.
--   repeated  Charged or held earlier, with the same kind, cost, operation and key; a hold is still running.
--   conflict  The request id was used with something else, or its hold has ended.
--   refused   A payer has less left, now that the batch is settled, than the charge costs.
--   again     It did not fit behind the charges before it, and fits now that the batch is settled: settle it in another batch.
--   unknown   The key, the account or a parent key has no balance.
--
-- The other columns: `scope` says who refuses, the key, the account or a budget, and credit_limit and remaining are that payer's.
-- A parent key that refuses counts as the key. Of several budgets the one that renews last is named, with its window and when it renews:
-- before that the charge would be refused again. left_over is the least that any payer has left.
-- All amounts are as they are after the batch. held_until is the deadline of a hold. more_payers says why charge_batch
-- does not charge such a key: it has `makers`, or its account has `budgets`; or the charge took `prepaid` credits.
--
-- Plans: a connection plans these statements once and keeps the plan, so a plan must stay good while the ledger grows.
-- Sequential scans are off for that reason, and an earlier line is found by ledger_line_request_idx alone: the account is
-- compared with IS NOT DISTINCT FROM, which no index supports. now() in a condition on period_start leaves the other partitions
-- out when the statement starts.
CREATE OR REPLACE FUNCTION settle_credits(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[], hold_secs int[],
  end_users text[] DEFAULT NULL)
RETURNS TABLE (pos bigint, outcome text, scope text, credit_limit bigint, remaining bigint, left_over bigint, held_until timestamptz,
  more_payers text, budget_name text, budget_window text, renews_at timestamptz)
LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM lock_balances(key_ids, account_ids);

  RETURN QUERY
  -- The charges of the batch, each with the line that its request id has in the ledger already, if any.
  WITH requested AS MATERIALIZED (
    SELECT r.*, a.number AS account, a.has_budgets, k.number AS key, ledger_request(r.request_id, f.form) AS request, f.form,
      CASE WHEN r.secs IS NULL THEN 'c' ELSE 'h' END::"char" AS kind
    FROM unnest(key_ids, account_ids, costs, operations, request_ids, hold_secs, end_users)
      WITH ORDINALITY AS r (key_id, account_id, cost, operation, request_id, secs, end_user, pos)
    CROSS JOIN LATERAL (SELECT ledger_request_form(r.request_id) AS form OFFSET 0) f
    LEFT JOIN credit_balance a ON a.subject_id = r.account_id
    LEFT JOIN credit_balance k ON k.subject_id = r.key_id
  ), request AS MATERIALIZED (
    SELECT r.*, e.kind AS earlier_kind, e.amount, e.operation AS earlier_operation, e.key AS earlier_key,
      (SELECT h.deadline FROM credit_hold h
       WHERE e.kind = 'h' AND h.account_id = r.account_id AND h.request_id = r.request_id) AS deadline
    FROM requested r
    LEFT JOIN LATERAL (
      -- A hold that was captured has a `hold` and a `charge` line: the hold is what was requested.
      SELECT l.kind, l.amount, l.key, (SELECT o.name FROM ledger_operation o WHERE o.code = l.operation) AS operation
      FROM ledger_line l
      WHERE uuid_hash_extended(l.request, 0) = uuid_hash_extended(r.request, 0) AND l.request = r.request AND l.form = r.form
        AND (r.form <> 't' OR l.request_text = r.request_id) AND l.account IS NOT DISTINCT FROM r.account AND l.kind IN ('c', 'h')
        AND l.period_start > now() - interval '62 days' AND l.period_start < now() + interval '1 day'
      ORDER BY l.kind DESC LIMIT 1
    ) e ON true
  -- A balance that came frozen from another cell after lock_balances had looked for it is not locked: it is unknown yet.
  ), prepaid AS MATERIALIZED (
    SELECT a.subject_id, prepaid_left(a.subject_id) AS left_over
    FROM credit_balance a WHERE a.subject_id = ANY (account_ids) AND a.has_prepaid AND a.credit_limit IS NOT NULL
  -- One row for each charge and payer. Place 1 is the account, 2 the key, from 3 on its parent keys, nearest first; behind them the
  -- budgets, which have a number; a budget that each end user has separately is a payer for each of them. `running` is this charge and the new charges before it that count for the same payer.
  ), payer AS MATERIALIZED (
    SELECT p.*, sum(p.cost) FILTER (WHERE p.is_new) OVER (PARTITION BY p.subject_id, p.end_user ORDER BY p.pos) AS running
    FROM (
      SELECT r.pos, p.place, r.cost, r.earlier_kind IS NULL AS is_new, b.subject_id,
        usable_credits(b.credit_limit, b.granted + coalesce(d.left_over, 0)) AS credit_limit,
        credits_at_hand(b.credit_limit, b.granted, b.used, coalesce(d.left_over, 0)) AS left_before, coalesce(d.left_over, 0) AS prepaid,
        b.period_start, k.maker_ids, NULL::int AS budget, NULL AS budget_name, NULL AS budget_window, NULL::timestamptz AS renews_at,
        NULL AS end_user
      FROM request r
      JOIN credit_balance k ON k.subject_id = r.key_id
      CROSS JOIN LATERAL unnest(ARRAY[r.account_id, r.key_id] || k.maker_ids) WITH ORDINALITY AS p (subject_id, place)
      JOIN credit_balance b ON b.subject_id = p.subject_id AND NOT b.frozen
      LEFT JOIN prepaid d ON d.subject_id = b.subject_id
      UNION ALL
      SELECT r.pos, 1000 + t.number, r.cost, r.earlier_kind IS NULL, t.id, t.amount, credits_left(t.amount, 0, t.used), 0,
        t.window_start, NULL, t.number, t.name, t.window_kind, t.window_end, CASE t.subject WHEN 'end_user' THEN r.end_user END
      FROM request r
      JOIN credit_balance k ON k.subject_id = r.key_id
      CROSS JOIN LATERAL budgets_of(r.account_id, r.key_id || k.maker_ids, r.end_user, r.operation) t
      WHERE r.has_budgets
    ) p
  -- The new charges whose payers are all known, admitted or not, with the limits that they were evaluated by.
  ), evaluated AS MATERIALIZED (
    SELECT r.*, p.*, now() + make_interval(secs => r.secs) AS held_until
    FROM (
      SELECT p.pos AS its_pos, bool_and(coalesce(p.left_before >= p.running, true)) AS admitted,
        max(p.period_start) FILTER (WHERE p.place = 1) AS period_start,
        max(p.credit_limit - p.prepaid) FILTER (WHERE p.place = 1) AS account_limit,
        max(p.left_before - p.prepaid) FILTER (WHERE p.place = 1) AS left_of_period, max(p.prepaid) AS prepaid,
        max(p.credit_limit) FILTER (WHERE p.place = 2) AS key_limit,
        max(p.maker_ids) AS maker_ids,
        array_agg(p.credit_limit ORDER BY p.place) FILTER (WHERE p.place > 2 AND p.budget IS NULL) AS maker_limits,
        array_agg(p.budget ORDER BY p.place) FILTER (WHERE p.budget IS NOT NULL) AS budgets,
        array_agg(p.period_start ORDER BY p.place) FILTER (WHERE p.budget IS NOT NULL) AS budget_windows,
        array_agg(p.credit_limit ORDER BY p.place) FILTER (WHERE p.budget IS NOT NULL) AS budget_limits
      FROM payer p GROUP BY p.pos
      HAVING count(*) FILTER (WHERE p.budget IS NULL) = 2 + coalesce(cardinality(max(p.maker_ids)), 0)
    ) p
    JOIN request r ON r.pos = p.its_pos WHERE r.earlier_kind IS NULL
  -- What the admitted charges of an account take beyond its period: this one from `since` to `until` of its prepaid credits.
  ), beyond AS MATERIALIZED (
    SELECT s.*, greatest(0, s.taken - s.cost - s.left_of_period) AS since, greatest(0, s.taken - s.left_of_period) AS until
    FROM (
      SELECT j.pos, j.account, j.account_id, j.request_id, j.period_start, j.cost, j.left_of_period,
        sum(j.cost) OVER (PARTITION BY j.account_id ORDER BY j.pos)::bigint AS taken
      FROM evaluated j WHERE j.admitted AND j.prepaid > 0
    ) s
  ), source AS MATERIALIZED (
    SELECT g.id, g.account_id, g.remaining,
      sum(g.remaining) OVER (PARTITION BY g.account_id ORDER BY g.ends_at, g.created_at, g.id)::bigint AS until
    FROM prepaid d CROSS JOIN LATERAL live_prepaid_grants(d.subject_id) g
  ), draw AS MATERIALIZED (
    SELECT b.*, g.id, least(b.until, g.until) - greatest(b.since, g.until - g.remaining) AS amount
    FROM beyond b JOIN source g ON g.account_id = b.account_id AND least(b.until, g.until) > greatest(b.since, g.until - g.remaining)
  ), drawn_line AS (
    INSERT INTO ledger_line (account, period_start, kind, amount, operation, request, form, request_text)
    SELECT w.account, w.period_start, 'g', -w.amount, ledger_operation_code('prepaid'), ledger_request(t.text, 't'), 't', t.text
    FROM draw w CROSS JOIN LATERAL (SELECT concat_ws('/', 'prepaid', 'charge', w.id, w.request_id) AS text OFFSET 0) t ORDER BY w.pos
  ), drawn AS (
    UPDATE prepaid_grant g SET remaining = g.remaining - w.amount
    FROM (SELECT id, sum(amount)::bigint AS amount FROM draw GROUP BY id) w WHERE g.id = w.id
  -- Each admitted charge is one line, with the limits that it was admitted under.
  ), line AS (
    INSERT INTO ledger_line (account, key, makers, period_start, kind, amount, operation, request, form, request_text,
      key_limit, account_limit, maker_limits, budgets, budget_windows, budget_limits, end_user)
    SELECT j.account, j.key, balance_numbers(j.maker_ids), j.period_start, j.kind, j.cost, ledger_operation_code(j.operation),
      j.request, j.form, CASE j.form WHEN 't' THEN j.request_id END, j.key_limit, j.account_limit + coalesce(b.until, 0),
      j.maker_limits, j.budgets, j.budget_windows, j.budget_limits, j.end_user
    FROM evaluated j LEFT JOIN beyond b ON b.pos = j.pos WHERE j.admitted ORDER BY j.pos
  ), hold AS (
    INSERT INTO credit_hold (account_id, request_id, key_id, maker_ids, period_start, amount, operation, deadline, budgets,
      budget_windows, end_user)
    SELECT j.account_id, j.request_id, j.key_id, j.maker_ids, j.period_start, j.cost, j.operation, j.held_until, j.budgets,
      j.budget_windows, j.end_user
    FROM evaluated j WHERE j.admitted AND j.secs IS NOT NULL
  -- What the batch adds to each payer: holds count as used, too.
  ), spent AS MATERIALIZED (
    SELECT p.subject_id, p.budget, p.end_user, p.period_start, sum(p.cost)::bigint AS cost
    FROM payer p JOIN evaluated j ON j.pos = p.pos WHERE j.admitted GROUP BY p.subject_id, p.budget, p.end_user, p.period_start
  ), moved AS (
    UPDATE credit_balance b SET used = b.used + s.cost, granted = b.granted + coalesce(w.amount, 0),
      prepaid_used = b.prepaid_used + coalesce(w.amount, 0)
    FROM spent s LEFT JOIN (SELECT account_id, sum(amount)::bigint AS amount FROM draw GROUP BY account_id) w ON w.account_id = s.subject_id
    WHERE s.budget IS NULL AND b.subject_id = s.subject_id AND s.cost > 0
  ), moved_budgets AS (
    UPDATE budget t SET used = t.used + s.cost
    FROM (SELECT subject_id, sum(cost)::bigint AS cost FROM spent WHERE budget IS NOT NULL GROUP BY subject_id) s
    WHERE t.id = s.subject_id AND s.cost > 0
  ), moved_end_users AS (
    INSERT INTO budget_end_user AS u (budget, end_user, window_start, used)
    SELECT s.budget, s.end_user, s.period_start, s.cost FROM spent s WHERE s.end_user IS NOT NULL AND s.cost > 0
    ON CONFLICT (budget, end_user) DO UPDATE SET window_start = excluded.window_start,
      used = excluded.used + CASE WHEN u.window_start = excluded.window_start THEN u.used ELSE 0 END
  -- What is left after the batch: to the account, to the key or the parent key of it that has least, and to the budget that has least.
  -- Of the budgets that have too little, the one that renews last.
  ), left_over AS (
    SELECT l.pos,
      min(l.remaining) FILTER (WHERE l.place = 1) AS of_account,
      min(l.remaining) FILTER (WHERE l.place > 1 AND l.budget IS NULL) AS of_key,
      min(l.remaining) FILTER (WHERE l.budget IS NOT NULL) AS of_budget,
      max(l.credit_limit) FILTER (WHERE l.place = 1) AS account_limit,
      (array_agg(l.credit_limit ORDER BY l.remaining) FILTER (WHERE l.place > 1 AND l.budget IS NULL))[1] AS key_limit,
      (array_agg(l.subject_id ORDER BY l.renews_at DESC, l.place) FILTER (WHERE l.budget IS NOT NULL AND l.remaining < l.cost))[1]
        AS budget_id
    FROM (
      SELECT p.*, p.left_before - coalesce(s.cost, 0) AS remaining
      FROM payer p LEFT JOIN spent s ON s.subject_id = p.subject_id AND s.end_user IS NOT DISTINCT FROM p.end_user
    ) l GROUP BY l.pos
  )
  SELECT r.pos,
    CASE
      WHEN r.earlier_kind IS NOT NULL THEN
        CASE WHEN r.earlier_kind = r.kind AND r.amount = r.cost AND r.earlier_operation = r.operation AND r.earlier_key = r.key
          AND (r.kind = 'c' OR r.deadline IS NOT NULL) THEN 'repeated' ELSE 'conflict' END
      WHEN j.pos IS NULL THEN 'unknown'
      WHEN j.admitted THEN 'charged'
      WHEN least(l.of_key, l.of_account, l.of_budget) < r.cost THEN 'refused'
      ELSE 'again'
    END,
    f.scope,
    CASE f.scope WHEN 'key' THEN l.key_limit WHEN 'account' THEN l.account_limit ELSE t.credit_limit END,
    CASE f.scope WHEN 'key' THEN l.of_key WHEN 'account' THEN l.of_account ELSE t.left_before - coalesce(s.cost, 0) END,
    least(l.of_key, l.of_account, l.of_budget),
    coalesce(r.deadline, j.held_until),
    CASE WHEN j.maker_ids IS NOT NULL THEN 'makers' WHEN EXISTS (SELECT FROM draw w WHERE w.pos = r.pos) THEN 'prepaid'
      WHEN r.has_budgets THEN 'budgets' END,
    t.budget_name, t.budget_window, t.renews_at
  FROM request r
  LEFT JOIN evaluated j ON j.pos = r.pos
  LEFT JOIN left_over l ON l.pos = r.pos
  CROSS JOIN LATERAL (
    SELECT CASE WHEN l.of_key < r.cost THEN 'key' WHEN l.of_account < r.cost THEN 'account'
      WHEN l.budget_id IS NOT NULL THEN 'budget' ELSE 'account' END AS scope
  ) f
  LEFT JOIN payer t ON t.pos = r.pos AND t.subject_id = l.budget_id AND f.scope = 'budget'
  LEFT JOIN spent s ON s.subject_id = t.subject_id AND s.end_user IS NOT DISTINCT FROM t.end_user
  ORDER BY r.pos;
END $$;
