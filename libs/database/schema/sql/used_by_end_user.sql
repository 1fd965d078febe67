-- What an end user has used of a budget in its window, with what is held.
CREATE OR REPLACE FUNCTION used_by_end_user(of_budget int, of_window timestamptz, of_end_user text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT u.used FROM public.budget_end_user u
    WHERE u.budget = of_budget AND u.end_user = of_end_user AND u.window_start = of_window), 0)
$$;
