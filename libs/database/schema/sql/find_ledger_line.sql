-- The newest line of a kind that a request of an account has in the ledger; null when there is none, or when it is archived.
-- An id may have a second charge in a period long after the first, see settle_credits.
CREATE OR REPLACE FUNCTION find_ledger_line(p_account int, p_request_id text, p_kind "char") RETURNS ledger_line LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
DECLARE
  its_form "char" := ledger_request_form(p_request_id);
  its_request uuid := ledger_request(p_request_id, its_form);
  line ledger_line;
BEGIN
  SELECT * INTO line FROM ledger_line l
    WHERE uuid_hash_extended(l.request, 0) = uuid_hash_extended(its_request, 0)
      AND l.request = its_request AND l.form = its_form
      AND (l.form <> 't' OR l.request_text = p_request_id) AND l.account IS NOT DISTINCT FROM p_account AND l.kind = p_kind
    ORDER BY l.id DESC LIMIT 1;
  RETURN line;
END $$;
