-- The budgets of an account now, by database time, as current_credits has balances: one whose window has ended shows the current
-- window, and a hold whose deadline has passed counts neither as held nor as used. Of a budget that each end user has separately,
-- `used` and `held` are those of one of them; of all together where none is named.
CREATE OR REPLACE FUNCTION current_budgets(of_account uuid, of_end_user text DEFAULT NULL)
RETURNS TABLE (id uuid, account_id uuid, name text, subject text, key_id uuid, tag text, operations text[], amount bigint,
  window_kind text, time_zone text, version int, created_at timestamptz, window_start timestamptz, window_end timestamptz,
  used bigint, held bigint)
LANGUAGE sql STABLE AS $$
  SELECT t.id, t.account_id, t.name, t.subject, t.key_id, t.tag, t.operations, t.amount, t.window_kind, t.time_zone, t.version,
    t.created_at, w.window_start, w.window_end,
    CASE WHEN t.window_end > now() THEN c.used - h.lapsed ELSE 0 END,
    CASE WHEN t.window_end > now() THEN h.held ELSE 0 END
  FROM public.budget t
  JOIN public.credit_balance a ON a.subject_id = t.account_id
  CROSS JOIN LATERAL public.budget_window(t.window_kind, t.time_zone, a.period_anchor, greatest(t.window_start, now())) w
  CROSS JOIN LATERAL (SELECT t.subject = 'end_user' AND of_end_user IS NOT NULL AS is_of_one) s
  CROSS JOIN LATERAL (
    SELECT CASE WHEN s.is_of_one THEN public.used_by_end_user(t.number, t.window_start, of_end_user) ELSE t.used END AS used
  ) c
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(h.amount) FILTER (WHERE h.deadline <= now()), 0)::bigint AS lapsed,
      coalesce(sum(h.amount) FILTER (WHERE h.deadline > now()), 0)::bigint AS held
    FROM public.credit_hold h
    WHERE h.account_id = t.account_id AND (NOT s.is_of_one OR h.end_user = of_end_user) AND EXISTS (
      SELECT FROM unnest(h.budgets, h.budget_windows) AS b (number, window_start)
      WHERE b.number = t.number AND b.window_start = t.window_start)
  ) h
  WHERE t.account_id = of_account
$$;
