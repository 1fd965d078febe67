-- How every account stands now: what a list of accounts is sorted by and narrowed to. Each column is read for the rows that need it.
--   credit_share      of its credits, grants and prepaid ones included, that it has used in this period
--   lasts_secs        until it runs out if it continues as in the last 7 days, as forecastCredits says; 0 when it has, null when its
--                     period ends before
--   refused_requests  that its keys were refused in the last 7 days, for any reason
--   failing_webhooks  endpoints that did not accept the last event, or are switched off for that
CREATE OR REPLACE VIEW current_standing AS
SELECT a.id AS account_id, credit_share(c.credit_limit, c.granted + c.prepaid, c.used, c.period_end) AS credit_share,
  CASE WHEN credits_at_hand(c.credit_limit, c.granted, c.used, c.prepaid) <= 0 THEN 0 WHEN c.used = 0 THEN NULL ELSE (
    SELECT CASE WHEN p.per_sec * extract(epoch FROM c.period_end - now()) > credits_at_hand(c.credit_limit, c.granted, c.used, c.prepaid)
      THEN credits_at_hand(c.credit_limit, c.granted, c.used, c.prepaid) / p.per_sec END
    FROM (
      SELECT greatest(sum(l.amount), 0)::float8
        / extract(epoch FROM least(interval '7 days', greatest(interval '1 day', now() - a.created_at)))::float8 AS per_sec
      FROM credit_ledger l
      WHERE l.account_id = a.id AND l.kind <> 'grant' AND l.period_start > now() - interval '39 days'
        AND l.created_at >= now() - least(interval '7 days', greatest(interval '1 day', now() - a.created_at))
    ) p
  ) END AS lasts_secs,
  (SELECT coalesce(sum(t.requests), 0)::float8 FROM api_key k JOIN observed_traffic t ON t.key_id = k.id
   WHERE k.account_id = a.id AND t.hour >= now() - interval '7 days' AND t.outcome NOT IN ('served', 'rejected', 'failed')) AS refused_requests,
  (SELECT count(*)::int FROM webhook_endpoint e
   WHERE e.account_id = a.id AND webhook_fails(e.disabled_reason, e.disabled_at, e.failing_since)) AS failing_webhooks,
  usable_credits(c.credit_limit, c.granted + c.prepaid)::float8 AS usable, c.used::float8 AS used, c.period_end
FROM account a JOIN current_credits c ON c.subject_id = a.id;
