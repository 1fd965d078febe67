-- Ends a hold and charges what the work has cost, at most what was held; a cost of null charges nothing. The charge counts
-- for the account, the key and the makers that the hold counted for, in the period of the hold.
--
-- Outcomes:
--   ended     The hold has ended.
--   repeated  An earlier call ended it with the same cost.
--   conflict  It ended with another cost, or at its deadline.
--   exceeded  The cost is more than what was held; the hold continues.
--   unknown   There never was such a hold.
CREATE OR REPLACE FUNCTION end_hold(p_account_id uuid, p_request_id text, p_cost bigint, OUT outcome text, OUT held bigint)
LANGUAGE plpgsql
SET enable_seqscan = off AS $$
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
