-- Creates the partitions of the ledger that are missing: for this month, for some months ahead, and for months of which lines
-- are in ledger_line_other, where a line goes that has no partition. Returns the months that were created. A month that is
-- archived is not created again. With the rights of the owner, because the application's role may not change the schema.
CREATE OR REPLACE FUNCTION make_ledger_months(ahead int) RETURNS SETOF date LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  its_month date;
  its_name text;
  from_then timestamptz;
  until_then timestamptz;
BEGIN
  -- Any number that no other program uses on this database.
  PERFORM pg_advisory_xact_lock(7301970);
  FOR its_month IN
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date FROM generate_series(0, ahead) n
    UNION SELECT date_trunc('month', l.period_start AT TIME ZONE 'UTC')::date FROM ledger_line_other l
    EXCEPT SELECT a.month FROM ledger_archive a
    ORDER BY 1
  LOOP
    its_name := 'ledger_line_' || to_char(its_month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(its_name) IS NOT NULL;
    from_then := its_month::timestamp AT TIME ZONE 'UTC';
    until_then := (its_month + interval '1 month') AT TIME ZONE 'UTC';
    EXECUTE format('CREATE TABLE %I (LIKE ledger_line INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', its_name);
    LOCK TABLE ledger_line_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('WITH moved AS (DELETE FROM ledger_line_other WHERE period_start >= %L AND period_start < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', from_then, until_then, its_name);
    EXECUTE format('ALTER TABLE ledger_line ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', its_name, from_then, until_then);
    RETURN NEXT its_month;
  END LOOP;
END $$;
