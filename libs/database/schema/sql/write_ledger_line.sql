-- Writes one line of the ledger, in the words in which the view credit_ledger reads it.
CREATE OR REPLACE FUNCTION write_ledger_line(p_account_id uuid, p_key_id uuid, p_maker_ids uuid[], p_period_start timestamptz,
  p_kind text, p_amount bigint, p_operation text, p_request_id text, p_actor text DEFAULT NULL,
  p_created_at timestamptz DEFAULT now(), p_budgets int[] DEFAULT NULL, p_budget_windows timestamptz[] DEFAULT NULL,
  p_end_user text DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO public.ledger_line (account, key, makers, period_start, kind, amount, operation, request, form, request_text, actor,
    created_at, budgets, budget_windows, end_user)
  SELECT (SELECT b.number FROM public.credit_balance b WHERE b.subject_id = p_account_id),
    (SELECT b.number FROM public.credit_balance b WHERE b.subject_id = p_key_id),
    public.balance_numbers(p_maker_ids), p_period_start, public.ledger_kind_letter(p_kind), p_amount,
    public.ledger_operation_code(p_operation),
    public.ledger_request(p_request_id, public.ledger_request_form(p_request_id)), public.ledger_request_form(p_request_id),
    CASE public.ledger_request_form(p_request_id) WHEN 't' THEN p_request_id END, p_actor, p_created_at, p_budgets,
    p_budget_windows, p_end_user
$$;
