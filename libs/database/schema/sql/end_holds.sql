-- Ends holds and gives back what they set aside, to the account, the key and the makers that each hold counted for. Writes
-- one `release` line for each hold. The caller holds the row locks of the balances, and with them the right to end the holds.
CREATE OR REPLACE FUNCTION end_holds(holds credit_hold[], ended_by text) RETURNS void LANGUAGE sql
SET enable_seqscan = off AS $$
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
