-- charge_batch for accounts with budgets: charges a batch whose charges are all final, new, by keys without parent keys, and within
-- every limit and budget. The charges of a budget are then evaluated in one comparison, as those of a balance are. Returns what each
-- charge leaves, the least of its account, its key and its budgets; or null, and has changed nothing, when one charge of the batch
-- may be something else, or a window has ended.
--
-- The parameters are those of charge_batch, and so are the order of the locks, the lines and the plans. budgets_of is called once
-- for each key, end user and operation of the batch. The lock of an account's balance is that of its budgets: what the last
-- statement reads of them, no other transaction changes.
CREATE OR REPLACE FUNCTION charge_budgeted_batch(account_ids uuid[], account_costs bigint[], key_ids uuid[], key_costs bigint[],
  operations text[], of_account int[], of_key int[], of_operation int[], costs bigint[], request_ids text[],
  end_users text[] DEFAULT NULL)
RETURNS bigint[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '300ms' SET search_path = public, pg_temp AS $$
DECLARE
  accounts int[];
  account_limits bigint[];
  period_starts timestamptz[];
  left_to_accounts bigint[];
  keys int[];
  key_limits bigint[];
  key_periods timestamptz[];
  left_to_keys bigint[];
  codes int[];
  left_to_charges bigint[];
  have_room boolean;
  written int;
BEGIN
  WITH charged AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM unnest(account_ids, account_costs) AS s (id, cost)
    WHERE b.subject_id = s.id AND b.period_end > now() AND b.has_budgets AND NOT b.frozen
      AND coalesce(credits_left(b.credit_limit, b.granted, b.used) >= s.cost, true)
      AND NOT EXISTS (SELECT FROM credit_hold h WHERE h.account_id = s.id AND h.deadline <= now() OFFSET 0)
    RETURNING b.subject_id, b.number, usable_credits(b.credit_limit, b.granted) AS usable, b.period_start,
      CASE WHEN b.has_prepaid THEN credits_at_hand(b.credit_limit, b.granted, b.used, prepaid_left(b.subject_id))
        ELSE credits_left(b.credit_limit, b.granted, b.used) END AS left_over
  )
  SELECT array_agg(c.number), array_agg(c.usable), array_agg(c.period_start), array_agg(c.left_over),
    (SELECT array_agg(o.code ORDER BY n.place)
     FROM unnest(operations) WITH ORDINALITY AS n (name, place) JOIN ledger_operation o ON o.name = n.name)
  INTO accounts, account_limits, period_starts, left_to_accounts, codes FROM (SELECT * FROM charged ORDER BY subject_id) c;
  IF cardinality(accounts) IS DISTINCT FROM cardinality(account_ids)
    OR cardinality(codes) IS DISTINCT FROM cardinality(operations)
  THEN RAISE EXCEPTION USING ERRCODE = 'GR001'; END IF;

  WITH charged AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM unnest(key_ids, key_costs) AS s (id, cost)
    WHERE b.subject_id = s.id AND b.period_end > now() AND b.maker_ids IS NULL
      AND coalesce(credits_left(b.credit_limit, b.granted, b.used) >= s.cost, true)
    RETURNING b.subject_id, b.number, usable_credits(b.credit_limit, b.granted) AS usable, b.period_start,
      credits_left(b.credit_limit, b.granted, b.used) AS left_over
  )
  SELECT array_agg(c.number), array_agg(c.usable), array_agg(c.period_start), array_agg(c.left_over)
  INTO keys, key_limits, key_periods, left_to_keys FROM (SELECT * FROM charged ORDER BY subject_id) c;
  IF cardinality(keys) IS DISTINCT FROM cardinality(key_ids)
    OR EXISTS (SELECT FROM budget t WHERE t.account_id = ANY (account_ids) AND t.window_end <= now())
  THEN RAISE EXCEPTION USING ERRCODE = 'GR001'; END IF;

  WITH requested AS MATERIALIZED (
    SELECT * FROM unnest(of_account, of_key, of_operation, costs, request_ids, end_users)
      WITH ORDINALITY AS r (account, key, operation, cost, request_id, end_user, pos)
  -- Each budget that charges count for, and each end user of one that each has separately, with all of them.
  ), counted AS MATERIALIZED (
    SELECT s.*, t.number, t.amount, t.window_start, credits_left(t.amount, 0, t.used) AS left_before,
      CASE t.subject WHEN 'end_user' THEN s.end_user END AS of_end_user
    FROM (SELECT account, key, operation, end_user, sum(cost)::bigint AS cost FROM requested GROUP BY 1, 2, 3, 4) s
    CROSS JOIN LATERAL budgets_of(account_ids[s.account], ARRAY[key_ids[s.key]], s.end_user, operations[s.operation]) t
  ), payer AS MATERIALIZED (
    SELECT c.number, c.of_end_user, c.window_start, min(c.left_before) - sum(c.cost)::bigint AS left_over, sum(c.cost)::bigint AS cost
    FROM counted c GROUP BY c.number, c.of_end_user, c.window_start
  ), moved AS (
    UPDATE budget t SET used = t.used + s.cost
    FROM (SELECT p.number, sum(p.cost)::bigint AS cost FROM payer p GROUP BY p.number) s
    WHERE t.number = s.number AND s.cost > 0
  ), moved_end_users AS (
    INSERT INTO budget_end_user AS u (budget, end_user, window_start, used)
    SELECT p.number, p.of_end_user, p.window_start, p.cost FROM payer p WHERE p.of_end_user IS NOT NULL AND p.cost > 0
    ON CONFLICT (budget, end_user) DO UPDATE SET window_start = excluded.window_start,
      used = excluded.used + CASE WHEN u.window_start = excluded.window_start THEN u.used ELSE 0 END
  ), counting AS MATERIALIZED (
    SELECT c.account, c.key, c.operation, c.end_user, array_agg(c.number ORDER BY c.number) AS budgets,
      array_agg(c.window_start ORDER BY c.number) AS windows, array_agg(c.amount ORDER BY c.number) AS limits,
      min(p.left_over) AS left_over
    FROM counted c JOIN payer p ON p.number = c.number AND p.of_end_user IS NOT DISTINCT FROM c.of_end_user
    GROUP BY 1, 2, 3, 4
  ), charge AS MATERIALIZED (
    SELECT r.*, f.form, ledger_request(r.request_id, f.form) AS request, c.budgets, c.windows, c.limits,
      least(left_to_accounts[r.account], left_to_keys[r.key], c.left_over) AS left_over
    FROM requested r
    CROSS JOIN LATERAL (SELECT ledger_request_form(r.request_id) AS form OFFSET 0) f
    LEFT JOIN counting c ON c.account = r.account AND c.key = r.key AND c.operation = r.operation
      AND c.end_user IS NOT DISTINCT FROM r.end_user
  ), line AS (
    INSERT INTO ledger_line (account, key, period_start, kind, amount, operation, request, form, request_text,
      key_limit, account_limit, budgets, budget_windows, budget_limits, end_user)
    SELECT accounts[r.account], keys[r.key], period_starts[r.account], 'c', r.cost, codes[r.operation], r.request, r.form,
      CASE r.form WHEN 't' THEN r.request_id END, key_limits[r.key], account_limits[r.account], r.budgets, r.windows, r.limits,
      r.end_user
    FROM charge r
    WHERE key_periods[r.key] = period_starts[r.account] AND (
      SELECT l.id FROM ledger_line l
      WHERE uuid_hash_extended(l.request, 0) = uuid_hash_extended(r.request, 0) AND l.request = r.request AND l.form = r.form
        AND (r.form <> 't' OR l.request_text = r.request_id) AND l.account IS NOT DISTINCT FROM accounts[r.account] AND l.kind IN ('c', 'h')
        AND l.period_start > now() - interval '62 days' AND l.period_start < now() + interval '1 day'
      LIMIT 1
    ) IS NULL
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM line), (SELECT coalesce(bool_and(p.left_over >= 0), true) FROM payer p),
    (SELECT array_agg(r.left_over ORDER BY r.pos) FROM charge r)
  INTO written, have_room, left_to_charges;
  IF written < cardinality(costs) OR NOT have_room THEN RAISE EXCEPTION USING ERRCODE = 'GR001'; END IF;
  RETURN left_to_charges;
EXCEPTION WHEN SQLSTATE 'GR001' THEN
  RETURN NULL;
END $$;
