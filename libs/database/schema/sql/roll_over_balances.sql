-- Moves the balances whose period has ended into the current period. The ended period, with what it granted and used, goes
-- to credit_balance_history; grants end with their period, and prepaid ones do not. The caller holds the row locks of the balances.
--
-- The balances of an account are always in one period, where a line and a hold count for all of them. now() is the beginning of
-- the transaction, and the clock of a database that has taken over may be slow: when one of them is further, the others follow.
CREATE OR REPLACE FUNCTION roll_over_balances(ids uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
BEGIN
  WITH ended AS MATERIALIZED (
    SELECT o.* FROM (
      SELECT b.*, greatest(now(), max(b.period_start) OVER (PARTITION BY b.account_id)) AS instant
      FROM credit_balance b WHERE b.subject_id = ANY (ids)
    ) o WHERE o.period_end <= o.instant
  ), stored AS (
    INSERT INTO credit_balance_history (subject_id, period_start, account_id, credit_limit, granted, used, prepaid_used)
    SELECT e.subject_id, e.period_start, e.account_id, e.credit_limit, e.granted, e.used, e.prepaid_used FROM ended e
  )
  UPDATE credit_balance b SET used = 0, granted = 0, prepaid_used = 0, period_start = p.period_start, period_end = p.period_end,
    has_prepaid = b.has_prepaid AND prepaid_left(b.subject_id) > 0
  FROM ended e CROSS JOIN LATERAL billing_period(e.period_anchor, e.instant) p
  WHERE b.subject_id = e.subject_id;
END $$;
