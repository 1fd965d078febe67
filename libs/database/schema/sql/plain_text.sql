-- A text as searches compare it: composed (NFC), without the accents of Latin, Greek and Cyrillic letters. A text of ASCII letters is
-- returned at once. Indexes are built with it: a migration that changes what it returns builds them again.
CREATE OR REPLACE FUNCTION plain_text(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(given) = char_length(given) THEN RETURN given; END IF;
  RETURN normalize(regexp_replace(normalize(given, NFD), '[\u0300-\u036f]+', '', 'g'), NFC);
END $$;
