-- Refunds the charge of a request, once, to the account, the key and the makers that it counted for, in the period of the
-- charge. Returns the refunded credits: 0 when the charge does not exist, or was refunded before.
CREATE OR REPLACE FUNCTION refund_charge(p_account_id uuid, p_request_id text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  charge credit_ledger;
  ids uuid[];
BEGIN
  SELECT * INTO charge FROM credit_ledger l
    WHERE l.account_id = p_account_id AND l.request_id = p_request_id AND l.kind = 'charge';
  IF NOT FOUND THEN RETURN 0; END IF;
  ids := ARRAY[charge.key_id, charge.account_id] || charge.maker_ids;
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (ids) ORDER BY b.subject, b.subject_id FOR UPDATE;
  -- The unique index of request ids lets the first of several refunds pass.
  INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id)
    VALUES (charge.account_id, charge.key_id, charge.maker_ids, charge.period_start, 'refund', -charge.amount,
      charge.operation, p_request_id)
    ON CONFLICT (account_id, request_id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM add_used(ids, charge.period_start, -charge.amount);
  RETURN charge.amount;
END $$;
