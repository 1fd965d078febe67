-- Creates the partitions of the ledger that are missing: for this month, for some months ahead, and for months of which lines
-- are in ledger_line_other, where a line goes that has no partition. Returns the months that were created. A month that is
-- archived is not created again. With the rights of the owner, because the application's role may not change the schema.
CREATE OR REPLACE FUNCTION make_ledger_months(ahead int) RETURNS SETOF date LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  its_month date;
BEGIN
  -- Any number that no other program uses on this database.
  PERFORM pg_advisory_xact_lock(7301970);
  FOR its_month IN
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date FROM generate_series(0, ahead) n
    UNION SELECT date_trunc('month', l.period_start AT TIME ZONE 'UTC')::date FROM ledger_line_other l
    EXCEPT SELECT a.month FROM ledger_archive a
    EXCEPT SELECT m.month FROM ledger_month m
    ORDER BY 1
  LOOP
    PERFORM make_ledger_month(its_month);
    RETURN NEXT its_month;
  END LOOP;
END $$;
