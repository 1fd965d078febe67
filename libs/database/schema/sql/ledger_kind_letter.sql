-- The letter that stands for the kind of a line. credit_ledger reads it back.
CREATE OR REPLACE FUNCTION ledger_kind_letter(kind text) RETURNS "char" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'charge' THEN 'c' WHEN 'refund' THEN 'r' WHEN 'hold' THEN 'h' WHEN 'release' THEN 'l'
    WHEN 'grant' THEN 'g' WHEN 'adjustment' THEN 'a' END::"char"
$$;
