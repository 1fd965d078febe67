-- Ends a hold and charges what the work has cost, at most what was held; a cost of null charges nothing. The charge counts
-- for the account, the key, the parent keys and the budgets that the hold counted for, in the period and the windows of the hold, and names
-- its end user. Prepaid credits pay for the end of it: what is not charged goes back to them first.
--
-- Outcomes:
--   ended     The hold has ended.
--   repeated  An earlier call ended it with the same cost.
--   conflict  It ended with another cost, or at its deadline.
--   exceeded  The cost is more than what was held; the hold continues.
--   unknown   There never was such a hold, or it is archived.
CREATE OR REPLACE FUNCTION end_hold(p_account_id uuid, p_request_id text, p_cost bigint, OUT outcome text, OUT held bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
DECLARE
  its_number int := (SELECT b.number FROM credit_balance b WHERE b.subject_id = p_account_id);
  hold credit_hold;
  line ledger_line := find_ledger_line(its_number, p_request_id, 'h');
  charge ledger_line;
BEGIN
  held := line.amount;
  IF held IS NULL THEN
    outcome := 'unknown';
    RETURN;
  END IF;
  PERFORM lock_balances(balance_ids(ARRAY[line.key]), ARRAY[p_account_id]);
  SELECT * INTO hold FROM credit_hold h WHERE h.account_id = p_account_id AND h.request_id = p_request_id;
  IF NOT FOUND THEN
    charge := find_ledger_line(its_number, p_request_id, 'c');
    outcome := CASE
      WHEN charge.amount IS NOT DISTINCT FROM p_cost AND coalesce(charge.period_start = line.period_start, true) THEN 'repeated'
      ELSE 'conflict' END;
  ELSIF p_cost > held THEN
    outcome := 'exceeded';
  ELSE
    PERFORM end_holds(ARRAY[hold], NULL);
    IF p_cost IS NOT NULL THEN
      PERFORM write_ledger_line(p_account_id, hold.key_id, hold.maker_ids, hold.period_start, 'charge', p_cost, hold.operation,
        p_request_id, NULL, now(), hold.budgets, hold.budget_windows, hold.end_user);
      PERFORM add_used(ARRAY[hold.key_id, p_account_id] || hold.maker_ids, hold.period_start, p_cost);
      PERFORM add_used_to_budgets(hold.budgets, hold.budget_windows, p_cost, hold.end_user);
    END IF;
    PERFORM give_back_prepaid(p_account_id, p_request_id, hold.period_start, hold.amount - coalesce(p_cost, 0), 'release');
    outcome := 'ended';
  END IF;
END $$;
