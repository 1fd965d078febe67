-- The budgets that a charge of a key counts for: those of its account, of the key and its parent keys, of a tag that the key or a
-- parent key has now, and, with an end user, those that each end user has separately: `used` is then what this one has used. Of those,
-- the ones that name operations count only charges for one of them. A key that is created by another one has no more room than
-- that one.
CREATE OR REPLACE FUNCTION budgets_of(of_account uuid, key_and_makers uuid[], of_end_user text, of_operation text)
RETURNS SETOF budget LANGUAGE sql STABLE AS $$
  SELECT t.id, t.account_id, t.name, t.subject, t.key_id, t.tag, t.amount, t.window_kind, t.time_zone, t.window_start, t.window_end,
    CASE WHEN t.subject = 'end_user' THEN public.used_by_end_user(t.number, t.window_start, of_end_user) ELSE t.used END,
    t.version, t.created_at, t.number, t.operations
  FROM public.budget t
  WHERE t.account_id = of_account AND (t.operations IS NULL OR of_operation = ANY (t.operations))
    AND (t.subject = 'account' OR t.key_id = ANY (key_and_makers)
      OR t.subject = 'end_user' AND of_end_user IS NOT NULL
      OR t.subject = 'tag' AND EXISTS (SELECT FROM public.api_key k WHERE k.id = ANY (key_and_makers) AND k.tags @> ARRAY[t.tag]))
$$;
