-- Adds an amount, which may be negative, to what some balances used in a period. The period may have ended: then the row of
-- the history changes. The caller holds the row locks of the balances.
CREATE OR REPLACE FUNCTION add_used(ids uuid[], of_period timestamptz, amount bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE public.credit_balance SET used = used + amount WHERE subject_id = ANY (ids) AND period_start = of_period;
  UPDATE public.credit_balance_history SET used = used + amount WHERE subject_id = ANY (ids) AND period_start = of_period;
$$;
