-- Returns the window of a budget that an instant lies in: a day, a week from Monday on, a calendar month, each by the clocks of
-- a time zone, or a billing period counted from an anchor, in UTC. Where clocks skip midnight, a day begins when they have
-- skipped it; where midnight comes twice, at the second one.
CREATE OR REPLACE FUNCTION budget_window(kind text, zone text, anchor timestamptz, instant timestamptz,
  OUT window_start timestamptz, OUT window_end timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  first_day timestamp;
  step interval;
BEGIN
  IF kind = 'billing_period' THEN
    SELECT p.period_start, p.period_end INTO window_start, window_end FROM public.billing_period(anchor, instant) p;
    RETURN;
  END IF;
  first_day := date_trunc(kind, instant AT TIME ZONE zone);
  step := ('1 ' || kind)::interval;
  -- Between two midnights of one day, it is still the day before.
  IF first_day AT TIME ZONE zone > instant THEN
    first_day := first_day - step;
  END IF;
  window_start := first_day AT TIME ZONE zone;
  window_end := (first_day + step) AT TIME ZONE zone;
END $$;
