-- Which share of its credits an account or a key has used in its current billing period: 0 when the period of the balance has ended, 1
-- when it may use none; null for no limit.
CREATE OR REPLACE FUNCTION credit_share(credit_limit bigint, granted bigint, used bigint, period_end timestamptz) RETURNS float8
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN credit_limit IS NULL THEN NULL WHEN period_end <= now() THEN 0
    WHEN public.usable_credits(credit_limit, granted) <= 0 THEN 1
    ELSE used::float8 / public.usable_credits(credit_limit, granted) END
$$;
