-- Grants requests that may pass, for each key within its quota, and counts them. The window of a key begins with its first
-- request. The rows are locked in one order, so that two processes with the same keys do not deadlock. One that was deleted
-- between the first two statements, because it was old, is created again: each requested key gets a row.
CREATE OR REPLACE FUNCTION take_requests(key_ids uuid[], quotas int[], wanted int[], window_ms int)
RETURNS TABLE (pos bigint, granted int, used int, ends_in_ms int) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  instant timestamptz;
BEGIN
  INSERT INTO rate_window (key_id, ends_at, used)
    SELECT k, '-infinity', 0 FROM unnest(key_ids) AS k ORDER BY k ON CONFLICT DO NOTHING;
  PERFORM 1 FROM rate_window w WHERE w.key_id = ANY (key_ids) ORDER BY w.key_id FOR UPDATE;
  instant := clock_timestamp();
  RETURN QUERY
  WITH counted AS (
    SELECT a.pos, a.key_id, a.quota, a.requested,
      CASE WHEN w.ends_at > instant THEN w.used ELSE 0 END AS used,
      CASE WHEN w.ends_at > instant THEN w.ends_at ELSE instant + make_interval(secs => window_ms / 1000.0) END AS ends_at
    FROM unnest(key_ids, quotas, wanted) WITH ORDINALITY AS a (key_id, quota, requested, pos)
    LEFT JOIN rate_window w ON w.key_id = a.key_id
  ), grants AS (
    SELECT c.*, greatest(0, least(c.requested, c.quota - c.used)) AS granted FROM counted c
  ), moved AS (
    INSERT INTO rate_window AS w (key_id, ends_at, used) SELECT a.key_id, a.ends_at, a.used + a.granted FROM grants a
    ON CONFLICT (key_id) DO UPDATE SET used = excluded.used, ends_at = excluded.ends_at
  )
  SELECT a.pos, a.granted, a.used + a.granted, ceil(extract(epoch FROM a.ends_at - instant) * 1000)::int
  FROM grants a ORDER BY a.pos;
END $$;
