-- settle_credits for charges of several accounts: none of them waits for long because the balance of another one is locked. Fails
-- with 55P03 then, and has changed nothing.
CREATE OR REPLACE FUNCTION settle_batch(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[], hold_secs int[],
  end_users text[] DEFAULT NULL)
RETURNS TABLE (pos bigint, outcome text, scope text, credit_limit bigint, remaining bigint, left_over bigint, held_until timestamptz,
  more_payers text, budget_name text, budget_window text, renews_at timestamptz)
LANGUAGE sql SET lock_timeout = '300ms' AS $$
  SELECT * FROM public.settle_credits(key_ids, account_ids, costs, operations, request_ids, hold_secs, end_users)
$$;
