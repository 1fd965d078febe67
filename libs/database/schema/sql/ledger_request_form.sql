-- What a request id looks like, in the column `form` of a line:
--   o  32 hexadecimal digits: an id of ours       s  `service/` and the same
--   u  a UUID with hyphens                        v  `service/` and the same
--   t  any other text, which the line keeps in `request_text`
CREATE OR REPLACE FUNCTION ledger_request_form(request_id text) RETURNS "char" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN length(request_id) = 32 AND request_id ~ '^[0-9a-f]{32}$' THEN 'o'
    WHEN length(request_id) = 40 AND request_id ~ '^service/[0-9a-f]{32}$' THEN 's'
    WHEN length(request_id) = 36 AND request_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN 'u'
    WHEN length(request_id) = 44 AND request_id ~ '^service/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN 'v'
    ELSE 't'
  END::"char"
$$;
