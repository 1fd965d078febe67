-- How many charges a budget would have refused: in their order, each in the window that it began in. What is refused uses nothing.
CREATE OR REPLACE FUNCTION budget_refusals(amount bigint, costs bigint[], window_starts timestamptz[]) RETURNS int
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  used bigint := 0;
  refused int := 0;
BEGIN
  FOR pos IN 1 .. coalesce(cardinality(costs), 0) LOOP
    IF window_starts[pos] IS DISTINCT FROM window_starts[pos - 1] THEN
      used := 0;
    END IF;
    IF public.credits_left(amount, 0, used) >= costs[pos] THEN
      used := used + costs[pos];
    ELSE
      refused := refused + 1;
    END IF;
  END LOOP;
  RETURN refused;
END $$;
