-- Charges a batch whose charges are all ordinary: final, new, by keys without parent keys in accounts without budgets that are not
-- being moved, and within every limit of the period. The charges of a balance are then evaluated in one comparison. Returns what each balance has
-- left, null for no limit; or a row of nulls, and has changed nothing, when one charge of the batch may be something else.
-- charge_budgeted_batch is the same for accounts with budgets. settle_credits says how charges are admitted, and settles those. It
-- waits for a lock no longer than the other accounts of the batch may wait for it: then it fails with 55P03.
--
-- account_ids and key_ids are those of the batch, each once and in order, with what the batch takes from each. Of the arrays
-- after them, each has one element for each charge: places in the arrays of accounts, keys and operations, from 1 on. end_users
-- is null when no charge names one.
--
-- The updates lock the balances, accounts before keys and each kind in the order of the ids, as lock_balances does. The lines
-- are written by a separate statement: it sees what others had written to the ledger before they let go of the locks.
--
-- Plans: a nested loop keeps the order in which the balances are locked. A plan is cached, and an earlier line found by its
-- request id alone, as settle_credits says. The look-up is a subquery and no anti-join: that was planned as a scan of the
-- whole ledger by connections from the time when it was empty.
CREATE OR REPLACE FUNCTION charge_batch(account_ids uuid[], account_costs bigint[], key_ids uuid[], key_costs bigint[],
  operations text[], of_account int[], of_key int[], of_operation int[], costs bigint[], request_ids text[],
  end_users text[] DEFAULT NULL, OUT left_to_accounts bigint[], OUT left_to_keys bigint[])
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '300ms' SET search_path = public, pg_temp AS $$
DECLARE
  accounts int[];
  account_limits bigint[];
  period_starts timestamptz[];
  keys int[];
  key_limits bigint[];
  key_periods timestamptz[];
  codes int[];
  written int;
BEGIN
  BEGIN
    WITH charged AS (
      UPDATE credit_balance b SET used = b.used + s.cost FROM unnest(account_ids, account_costs) AS s (id, cost)
      WHERE b.subject_id = s.id AND b.period_end > now() AND NOT b.has_budgets AND NOT b.frozen
        AND coalesce(credits_left(b.credit_limit, b.granted, b.used) >= s.cost, true)
        -- Its credits are the account's again, which lock_balances writes.
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
    IF cardinality(keys) IS DISTINCT FROM cardinality(key_ids) THEN RAISE EXCEPTION USING ERRCODE = 'GR001'; END IF;

    INSERT INTO ledger_line (account, key, period_start, kind, amount, operation, request, form, request_text,
      key_limit, account_limit, end_user)
    SELECT accounts[r.account], keys[r.key], period_starts[r.account], 'c', r.cost, codes[r.operation], i.request, i.form,
      CASE i.form WHEN 't' THEN r.request_id END, key_limits[r.key], account_limits[r.account], r.end_user
    FROM unnest(of_account, of_key, of_operation, costs, request_ids, end_users)
      AS r (account, key, operation, cost, request_id, end_user)
    CROSS JOIN LATERAL (SELECT ledger_request_form(r.request_id) AS form OFFSET 0) f
    CROSS JOIN LATERAL (SELECT f.form, ledger_request(r.request_id, f.form) AS request OFFSET 0) i
    -- A key that is in another period than its account is moved by lock_balances.
    WHERE key_periods[r.key] = period_starts[r.account] AND (
      SELECT l.id FROM ledger_line l
      WHERE uuid_hash_extended(l.request, 0) = uuid_hash_extended(i.request, 0) AND l.request = i.request AND l.form = i.form
        AND (i.form <> 't' OR l.request_text = r.request_id) AND l.account IS NOT DISTINCT FROM accounts[r.account] AND l.kind IN ('c', 'h')
        AND l.period_start > now() - interval '62 days' AND l.period_start < now() + interval '1 day'
      LIMIT 1
    ) IS NULL;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written < cardinality(costs) THEN RAISE EXCEPTION USING ERRCODE = 'GR001'; END IF;
  EXCEPTION WHEN SQLSTATE 'GR001' THEN
    left_to_accounts := NULL;
    left_to_keys := NULL;
  END;
END $$;
