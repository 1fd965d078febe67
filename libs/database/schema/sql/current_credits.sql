-- The credits of every account and key now, by database time. A balance whose period has ended shows the current period,
-- although nothing has moved it there yet, and a hold whose deadline has passed counts neither as held nor as used. What is
-- held counts for the account, the key and the parent keys of the key. `granted` has what charges took of prepaid grants, which
-- is `prepaid_used`; `prepaid` is what is left of them, and only accounts have some.
CREATE OR REPLACE VIEW current_credits AS
SELECT b.subject_id, b.subject, b.account_id, b.credit_limit, p.period_start, p.period_end,
  CASE WHEN b.period_end > now() THEN b.granted ELSE 0 END AS granted,
  CASE WHEN b.period_end > now() THEN b.used - h.lapsed ELSE 0 END AS used,
  h.held, CASE WHEN b.has_prepaid THEN prepaid_left(b.subject_id) ELSE 0 END AS prepaid,
  CASE WHEN b.period_end > now() THEN b.prepaid_used ELSE 0 END AS prepaid_used
FROM credit_balance b
CROSS JOIN billing_period(b.period_anchor, now()) p
CROSS JOIN LATERAL (
  SELECT coalesce(sum(h.amount) FILTER (WHERE h.deadline <= now()), 0)::bigint AS lapsed,
    coalesce(sum(h.amount) FILTER (WHERE h.deadline > now()), 0)::bigint AS held
  FROM credit_hold h
  WHERE h.account_id = b.account_id AND h.period_start = b.period_start
    AND (b.subject_id IN (h.account_id, h.key_id) OR b.subject_id = ANY (h.maker_ids))
) h;
