-- What is left of the prepaid credits of an account.
CREATE OR REPLACE FUNCTION prepaid_left(of_account uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(g.remaining), 0)::bigint FROM public.live_prepaid_grants(of_account) g
$$;
