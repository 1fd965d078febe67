-- What an account or a key has left of a billing period, below zero when its limit was lowered since; null for no limit.
CREATE OR REPLACE FUNCTION credits_left(credit_limit bigint, granted bigint, used bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT public.usable_credits(credit_limit, granted) - used
$$;
