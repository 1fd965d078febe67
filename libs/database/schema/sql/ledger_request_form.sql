-- What a request id looks like, in the column `form` of a line:
--   o  32 hexadecimal digits: an id of ours       s  `service/` and the same
--   u  a UUID with hyphens                        v  `service/` and the same
--   t  any other text, which the line keeps in `request_text`
-- Every charge needs it: translate() takes a fraction of what a regular expression does.
CREATE OR REPLACE FUNCTION ledger_request_form(request_id text) RETURNS "char" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE length(request_id)
    WHEN 32 THEN CASE WHEN translate(request_id, '0123456789abcdef', '') = '' THEN 'o' ELSE 't' END
    WHEN 40 THEN CASE WHEN left(request_id, 8) = 'service/' AND translate(right(request_id, 32), '0123456789abcdef', '') = ''
      THEN 's' ELSE 't' END
    WHEN 36 THEN CASE WHEN request_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN 'u' ELSE 't' END
    WHEN 44 THEN CASE WHEN request_id ~ '^service/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN 'v' ELSE 't' END
    ELSE 't'
  END::"char"
$$;
