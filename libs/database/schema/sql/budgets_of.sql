-- The budgets that a charge of a key counts for: those of its account, of the key and its makers, of a tag that the key or a
-- maker has now, and, with an end user, those that each end user has separately: `used` is then what this one has used. A key that is
-- created by another one has no more room than that one.
CREATE OR REPLACE FUNCTION budgets_of(of_account uuid, key_and_makers uuid[], of_end_user text DEFAULT NULL)
RETURNS SETOF budget LANGUAGE sql STABLE AS $$
  SELECT t.id, t.account_id, t.name, t.subject, t.key_id, t.tag, t.amount, t.window_kind, t.time_zone, t.window_start, t.window_end,
    CASE WHEN t.subject = 'end_user' THEN coalesce((
      SELECT u.used FROM budget_end_user u
      WHERE u.budget = t.number AND u.end_user = of_end_user AND u.window_start = t.window_start), 0) ELSE t.used END,
    t.version, t.created_at, t.number
  FROM budget t
  WHERE t.account_id = of_account AND (t.subject = 'account' OR t.key_id = ANY (key_and_makers)
    OR t.subject = 'end_user' AND of_end_user IS NOT NULL
    OR t.subject = 'tag' AND EXISTS (SELECT FROM api_key k WHERE k.id = ANY (key_and_makers) AND k.tags @> ARRAY[t.tag]))
$$;
