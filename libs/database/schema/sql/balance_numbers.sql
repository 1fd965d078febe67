-- The numbers of accounts or keys in the ledger, in the order of their ids; null for null.
CREATE OR REPLACE FUNCTION balance_numbers(ids uuid[]) RETURNS int[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(b.number ORDER BY s.place)
  FROM unnest(ids) WITH ORDINALITY AS s (id, place) JOIN public.credit_balance b ON b.subject_id = s.id
$$;
