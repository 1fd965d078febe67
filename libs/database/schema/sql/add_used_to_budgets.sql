-- Adds an amount, which may be negative, to what budgets, and an end user of them, used in the windows that a line or a hold
-- counted in. A window that has ended is left as it was. The caller holds the row lock of the account's balance.
CREATE OR REPLACE FUNCTION add_used_to_budgets(numbers int[], windows timestamptz[], amount bigint, of_end_user text)
RETURNS void LANGUAGE sql AS $$
  UPDATE public.budget t SET used = t.used + add_used_to_budgets.amount FROM unnest(numbers, windows) AS s (number, window_start)
  WHERE t.number = s.number AND t.window_start = s.window_start;
  UPDATE public.budget_end_user u SET used = u.used + add_used_to_budgets.amount FROM unnest(numbers, windows) AS s (number, window_start)
  WHERE u.budget = s.number AND u.end_user = of_end_user AND u.window_start = s.window_start;
$$;
