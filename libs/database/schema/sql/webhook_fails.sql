-- Whether an endpoint does not accept its events, or was switched off for that. The planner puts its expression in the place of a call.
CREATE OR REPLACE FUNCTION webhook_fails(disabled_reason text, disabled_at timestamptz, failing_since timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT disabled_reason = 'failing' OR disabled_at IS NULL AND failing_since IS NOT NULL
$$;
