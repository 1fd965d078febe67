-- The 16 bytes under which the ledger keeps a request id of a form, see ledger_request_form. An id that is hexadecimal,
-- as ours are, or a UUID is itself, with `service/` before it or without; any other text is the beginning of its SHA-256, and
-- the line keeps the text as well. A form and its 16 bytes, with the text, stand for exactly one request id.
CREATE OR REPLACE FUNCTION ledger_request(request_id text, form "char") RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE form
    WHEN 's' THEN right(request_id, 32)::uuid
    WHEN 'v' THEN right(request_id, 36)::uuid
    WHEN 't' THEN encode(substring(sha256(replace(request_id, '\', '\\')::bytea) FOR 16), 'hex')::uuid
    ELSE request_id::uuid
  END
$$;
