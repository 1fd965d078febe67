-- The prepaid grants of an account of which charges can take credits.
CREATE OR REPLACE FUNCTION live_prepaid_grants(of_account uuid) RETURNS SETOF prepaid_grant LANGUAGE sql STABLE AS $$
  SELECT g.* FROM public.prepaid_grant g
  WHERE g.account_id = of_account AND g.remaining > 0 AND g.revoked_at IS NULL AND coalesce(g.ends_at > now(), true)
$$;
