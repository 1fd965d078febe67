-- What each card must say, in plain SQL and not with the statement that makes findings: the ids of the keys with each.
WITH enabled AS (
  SELECT k.*, a.status AS account_status, a.created_at AS account_since,
    CASE WHEN o.id IS NOT NULL THEN o.rotation_age_days ELSE t.rotation_age_days END AS rotation_age,
    CASE WHEN o.id IS NOT NULL THEN o.max_lifetime_days ELSE t.max_lifetime_days END AS lifetime,
    CASE WHEN o.id IS NOT NULL THEN o.permissions ELSE t.permissions END AS accepted,
    CASE WHEN o.id IS NOT NULL THEN o.allow_list_required ELSE t.allow_list_required END AS needs_list
  FROM api_key k, account a LEFT JOIN key_policy o ON o.account_id = a.id LEFT JOIN key_policy t ON t.tier = a.tier
  WHERE a.id = k.account_id AND k.deleted_at IS NULL AND k.disable_reason IS NULL AND coalesce(k.expires_at > now(), true)
), seen AS (
  SELECT DISTINCT key_id, CASE WHEN position(':' IN address) > 0 THEN abbrev(set_masklen(address::inet, 64)::cidr) ELSE address END AS address
  FROM observed_traffic
  WHERE hour > now() - interval '30 days' AND outcome NOT IN ('state', 'account', 'ip') AND address <> 'unknown'
), seen_count AS (
  SELECT key_id, count(*) AS addresses FROM seen GROUP BY key_id
), used AS (
  SELECT DISTINCT key_id, route FROM observed_traffic
  WHERE hour > now() - interval '30 days' AND outcome NOT IN ('state', 'account', 'ip', 'scope')
), used_count AS (
  SELECT key_id, count(DISTINCT permission) AS permissions FROM used LEFT JOIN route_permission USING (route) GROUP BY key_id
), used_unknown AS (
  SELECT key_id FROM used WHERE route NOT IN (SELECT route FROM route_permission)
), newest AS (
  SELECT DISTINCT ON (key_id) * FROM api_key_secret ORDER BY key_id, number DESC
), holding AS (
  SELECT 'no_credit_limit' AS kind, id FROM enabled WHERE id IN (SELECT subject_id FROM credit_balance WHERE credit_limit IS NULL)
  UNION ALL SELECT 'never_expires', id FROM enabled WHERE expires_at IS NULL
  UNION ALL SELECT 'idle', id FROM enabled
    WHERE created_at < now() - interval '90 days'
      AND id NOT IN (SELECT key_id FROM api_key_use WHERE last_used_at >= now() - interval '90 days')
  UNION ALL SELECT 'idle_account', id FROM enabled
    WHERE account_status IN ('suspended', 'closed') OR account_since < now() - interval '90 days' AND account_id NOT IN (
      SELECT account_id FROM api_key, api_key_use
      WHERE id = key_id AND deleted_at IS NULL AND last_used_at >= now() - interval '90 days')
  UNION ALL SELECT 'unused_permissions', id FROM enabled e, used_count u
    WHERE e.permissions IS NULL AND u.key_id = id AND u.permissions <= 5 AND id NOT IN (SELECT key_id FROM used_unknown)
  UNION ALL SELECT 'wide_allow_list', id FROM enabled, seen_count s
    WHERE allowed_ips && ARRAY['10.0.0.0/8', '10.1.0.0/20', '2001:db8::/48'] AND s.key_id = id
      AND addresses <= CASE allowed_ips[1] WHEN '10.0.0.0/8' THEN 167772 WHEN '10.1.0.0/20' THEN 40 ELSE 655 END
  UNION ALL SELECT 'many_addresses', id FROM enabled, seen_count s WHERE s.key_id = id AND addresses > 20
  UNION ALL SELECT 'old_secret', e.id FROM enabled e, newest s
    WHERE s.key_id = e.id AND s.created_at < now() - coalesce(e.rotation_age, 365) * interval '1 day'
  UNION ALL SELECT 'lifetime_exceeded', e.id FROM enabled e, newest s
    WHERE s.key_id = e.id AND (e.expires_at IS NULL OR e.expires_at - s.created_at > e.lifetime * interval '1 day') AND e.lifetime > 0
  UNION ALL SELECT 'used_in_browser', e.id FROM enabled e, api_key_use u WHERE u.key_id = e.id AND u.browser_at > now() - interval '30 days'
  UNION ALL SELECT 'allow_list_missing', id FROM enabled WHERE needs_list AND allowed_ips IS NULL
  UNION ALL SELECT 'permissions_exceeded', id FROM enabled
    WHERE accepted IS NOT NULL AND (permissions IS NULL OR EXISTS (SELECT unnest(permissions) EXCEPT SELECT unnest(accepted)))
  UNION ALL SELECT 'unfinished_rotation', e.id FROM enabled e, newest s, api_key_secret o
    WHERE s.key_id = e.id AND o.key_id = e.id AND o.number = s.number - 1 AND o.retires_at > now()
      AND (s.last_used_at IS NULL OR s.last_used_at < o.last_used_at)
)
SELECT h.kind, count(*) FILTER (WHERE c.key_id IS NULL)::int AS open, count(c.key_id)::int AS accepted
FROM holding h LEFT JOIN key_finding_acceptance c ON c.key_id = h.id AND c.kind = h.kind AND c.until > now()
GROUP BY h.kind ORDER BY h.kind
