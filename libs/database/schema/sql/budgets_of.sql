-- The budgets that a charge of a key counts for: those of its account, of the key and its makers, and of a tag that the key or a
-- maker has now. A key that is created by another one has no more room than that one.
CREATE OR REPLACE FUNCTION budgets_of(of_account uuid, key_and_makers uuid[]) RETURNS SETOF budget LANGUAGE sql STABLE AS $$
  SELECT t.* FROM budget t
  WHERE t.account_id = of_account AND (t.subject = 'account' OR t.key_id = ANY (key_and_makers)
    OR t.subject = 'tag' AND EXISTS (SELECT FROM api_key k WHERE k.id = ANY (key_and_makers) AND k.tags @> ARRAY[t.tag]))
$$;
