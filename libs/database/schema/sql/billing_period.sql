-- Returns the monthly billing period that an instant lies in. Periods are counted from an anchor, in UTC: an anchor on the
-- 31st starts a period on the last day of a shorter month.
CREATE OR REPLACE FUNCTION billing_period(anchor timestamptz, instant timestamptz, OUT period_start timestamptz, OUT period_end timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  months int := greatest(0,
    (extract(year FROM instant AT TIME ZONE 'UTC') - extract(year FROM anchor AT TIME ZONE 'UTC')) * 12
    + extract(month FROM instant AT TIME ZONE 'UTC') - extract(month FROM anchor AT TIME ZONE 'UTC'))::int;
  local_anchor timestamp := anchor AT TIME ZONE 'UTC';
BEGIN
  IF months > 0 AND (local_anchor + make_interval(months => months)) AT TIME ZONE 'UTC' > instant THEN
    months := months - 1;
  END IF;
  period_start := (local_anchor + make_interval(months => months)) AT TIME ZONE 'UTC';
  period_end := (local_anchor + make_interval(months => months + 1)) AT TIME ZONE 'UTC';
END $$;
