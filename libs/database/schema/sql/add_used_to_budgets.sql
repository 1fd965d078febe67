-- Adds an amount, which may be negative, to what budgets used in the windows that a line or a hold counted in. A window that has
-- ended is left as it was. The caller holds the row lock of the account's balance.
CREATE OR REPLACE FUNCTION add_used_to_budgets(numbers int[], windows timestamptz[], amount bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE budget t SET used = t.used + add_used_to_budgets.amount FROM unnest(numbers, windows) AS s (number, window_start)
  WHERE t.number = s.number AND t.window_start = s.window_start
$$;
