-- Moves the budgets of accounts whose window has ended into the current window, with nothing used. The caller holds the row
-- locks of the accounts' balances. An ended window stays in the ledger: each line names the windows that it counted in.
CREATE OR REPLACE FUNCTION roll_over_budgets(account_ids uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE public.budget t SET used = 0, window_start = w.window_start, window_end = w.window_end
  FROM public.budget o JOIN public.credit_balance a ON a.subject_id = o.account_id
  CROSS JOIN LATERAL public.budget_window(o.window_kind, o.time_zone, a.period_anchor, now()) w
  WHERE o.account_id = ANY (account_ids) AND o.window_end <= now() AND t.id = o.id
$$;
