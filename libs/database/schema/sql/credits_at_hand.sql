-- What an account can still use: credits_left of its billing period, and its prepaid credits, which pay for no use before them that a
-- lower limit has put beyond it; null for no limit.
CREATE OR REPLACE FUNCTION credits_at_hand(credit_limit bigint, granted bigint, used bigint, prepaid bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN prepaid > 0 AND credit_limit IS NOT NULL THEN greatest(0, public.credits_left(credit_limit, granted, used)) + prepaid
    ELSE public.credits_left(credit_limit, granted, used) END
$$;
