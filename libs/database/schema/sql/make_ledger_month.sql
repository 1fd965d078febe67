-- Adds the partition of one month to the ledger, and takes over what ledger_line_other has of it. The table may be there
-- already, filled and not yet a partition: `greenroom archive restore` fills it before, so that charges wait only for the end.
CREATE OR REPLACE FUNCTION make_ledger_month(its_month date) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  its_name text := 'ledger_line_' || to_char(its_month, 'YYYY_MM');
  from_then timestamptz := its_month::timestamp AT TIME ZONE 'UTC';
  until_then timestamptz := (its_month + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I (LIKE ledger_line INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)',
    its_name);
  -- Its lines have no key, and logical replication has to find them.
  EXECUTE format('ALTER TABLE %I REPLICA IDENTITY FULL', its_name);
  LOCK TABLE ledger_line_other IN ACCESS EXCLUSIVE MODE;
  CREATE TEMP TABLE moved_line (LIKE ledger_line) ON COMMIT DROP;
  WITH moved AS (DELETE FROM ledger_line_other WHERE period_start >= from_then AND period_start < until_then RETURNING *)
    INSERT INTO moved_line SELECT * FROM moved;
  EXECUTE format('ALTER TABLE ledger_line ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', its_name, from_then, until_then);
  -- As lines of the ledger: who follows it by its own name would not learn of those that are written to a table beside it.
  INSERT INTO ledger_line SELECT * FROM moved_line;
  DROP TABLE moved_line;
END $$;
