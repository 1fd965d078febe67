-- The rules of one kind that hold for a key, for an account, or with neither for the installation: those of the narrowest
-- scope that has any, whether they are on or off; of those, the ones that are on.
CREATE OR REPLACE FUNCTION alert_rules_of(wanted text, of_tier text, of_account uuid, of_key uuid)
RETURNS SETOF alert_rule LANGUAGE sql STABLE AS $$
  WITH fitting AS (
    SELECT r.*, CASE r.scope WHEN 'key' THEN 3 WHEN 'account' THEN 2 WHEN 'tier' THEN 1 ELSE 0 END AS narrowness
    FROM public.alert_rule r
    WHERE r.kind = wanted AND (r.scope = 'installation' OR r.scope = 'tier' AND r.tier = of_tier
      OR r.scope = 'account' AND r.account_id = of_account OR r.scope = 'key' AND r.key_id = of_key)
  )
  SELECT r.* FROM public.alert_rule r
  WHERE r.enabled AND r.id IN (
    SELECT f.id FROM fitting f WHERE f.narrowness = (SELECT max(narrowness) FROM fitting));
$$;
