-- The budgets now, by database time, as current_credits has balances: one whose window has ended shows the current window, and a
-- hold whose deadline has passed counts neither as held nor as used.
CREATE OR REPLACE VIEW current_budgets AS
SELECT t.id, t.account_id, t.name, t.subject, t.key_id, t.tag, t.amount, t.window_kind, t.time_zone, t.version, t.created_at,
  w.window_start, w.window_end,
  CASE WHEN t.window_end > now() THEN t.used - h.lapsed ELSE 0 END AS used,
  CASE WHEN t.window_end > now() THEN h.held ELSE 0 END AS held
FROM budget t
JOIN credit_balance a ON a.subject_id = t.account_id
CROSS JOIN LATERAL budget_window(t.window_kind, t.time_zone, a.period_anchor, greatest(t.window_start, now())) w
CROSS JOIN LATERAL (
  SELECT coalesce(sum(h.amount) FILTER (WHERE h.deadline <= now()), 0)::bigint AS lapsed,
    coalesce(sum(h.amount) FILTER (WHERE h.deadline > now()), 0)::bigint AS held
  FROM credit_hold h
  WHERE h.account_id = t.account_id AND EXISTS (
    SELECT FROM unnest(h.budgets, h.budget_windows) AS s (number, window_start)
    WHERE s.number = t.number AND s.window_start = t.window_start)
) h;
