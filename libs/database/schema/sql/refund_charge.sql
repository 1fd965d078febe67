-- Refunds the charge of a request, once, to the account, the key, the parent keys and the budgets that it counted for, in the period and
-- the windows of the charge; what prepaid grants paid of it goes back to them. Returns the refunded credits: 0 when the charge does not exist, was refunded before, or is archived.
CREATE OR REPLACE FUNCTION refund_charge(p_account_id uuid, p_request_id text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
DECLARE
  its_number int := (SELECT b.number FROM credit_balance b WHERE b.subject_id = p_account_id);
  charge ledger_line;
  ids uuid[];
BEGIN
  charge := find_ledger_line(its_number, p_request_id, 'c');
  IF charge.id IS NULL THEN RETURN 0; END IF;
  ids := balance_ids(ARRAY[charge.key, charge.account] || charge.makers);
  -- The first of several refunds holds the locks until its line can be seen.
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (ids) ORDER BY b.subject, b.subject_id FOR UPDATE;
  IF (find_ledger_line(its_number, p_request_id, 'r')).period_start = charge.period_start THEN RETURN 0; END IF;
  INSERT INTO ledger_line (account, key, makers, period_start, kind, amount, operation, request, form, request_text,
      budgets, budget_windows, end_user)
    VALUES (charge.account, charge.key, charge.makers, charge.period_start, 'r', -charge.amount, charge.operation,
      charge.request, charge.form, charge.request_text, charge.budgets, charge.budget_windows, charge.end_user);
  PERFORM add_used(ids, charge.period_start, -charge.amount);
  PERFORM add_used_to_budgets(charge.budgets, charge.budget_windows, -charge.amount, charge.end_user);
  PERFORM give_back_prepaid(p_account_id, p_request_id, charge.period_start, charge.amount, 'refund');
  RETURN charge.amount;
END $$;
