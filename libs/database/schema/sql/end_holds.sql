-- Ends holds and gives back what they set aside, to the account, the key, the parent keys and the budgets that each hold counted
-- for. Writes
-- one `release` line for each hold. The caller holds the row locks of the balances, and with them the right to end the holds.
CREATE OR REPLACE FUNCTION end_holds(holds credit_hold[], ended_by text) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
DECLARE
  ended credit_hold;
BEGIN
  FOR ended IN
    DELETE FROM credit_hold h USING unnest(holds) e
    WHERE h.account_id = e.account_id AND h.request_id = e.request_id RETURNING h.*
  LOOP
    PERFORM write_ledger_line(ended.account_id, ended.key_id, ended.maker_ids, ended.period_start, 'release', -ended.amount,
      ended.operation, ended.request_id, ended_by, now(), ended.budgets, ended.budget_windows, ended.end_user);
    PERFORM add_used(ARRAY[ended.account_id, ended.key_id] || ended.maker_ids, ended.period_start, -ended.amount);
    PERFORM add_used_to_budgets(ended.budgets, ended.budget_windows, -ended.amount, ended.end_user);
  END LOOP;
END $$;
