-- The 16 bytes under which the ledger keeps a request id. An id that is hexadecimal, as ours are, or a UUID is itself, with
-- `service/` before it or without; any other text is the beginning of its SHA-256, and the line keeps the text as well.
-- ledger_request_form tells which it is: a form and its 16 bytes, with the text, stand for exactly one request id.
CREATE OR REPLACE FUNCTION ledger_request(request_id text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE ledger_request_form(request_id)
    WHEN 'o' THEN request_id::uuid
    WHEN 's' THEN right(request_id, 32)::uuid
    WHEN 'u' THEN request_id::uuid
    WHEN 'v' THEN right(request_id, 36)::uuid
    ELSE encode(substring(sha256(replace(request_id, '\', '\\')::bytea) FOR 16), 'hex')::uuid
  END
$$;
