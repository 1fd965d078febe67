-- What an account or a key may use in a billing period: its limit and what was granted beyond it; null for no limit. This function,
-- credits_left, credits_at_hand and credit_share are the only SQL that says so. The planner puts their expressions in the place of the calls.
CREATE OR REPLACE FUNCTION usable_credits(credit_limit bigint, granted bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT credit_limit + granted
$$;
