-- The ids of accounts or keys whose numbers the ledger has, in the same order; null for null.
CREATE OR REPLACE FUNCTION balance_ids(numbers int[]) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(b.subject_id ORDER BY s.place)
  FROM unnest(numbers) WITH ORDINALITY AS s (number, place) JOIN public.credit_balance b ON b.number = s.number
$$;
