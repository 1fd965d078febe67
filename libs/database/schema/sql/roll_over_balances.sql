-- Moves the balances whose period has ended into the current period. The ended period, with what it granted and used, goes
-- to credit_balance_history; grants end with their period. The caller holds the row locks of the balances.
CREATE OR REPLACE FUNCTION roll_over_balances(ids uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
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
