-- Trigger: stores the text of a voice that a search looks through, without accents, in lower case and with single spaces. A match among
-- thousands of voices is then one comparison.
CREATE OR REPLACE FUNCTION set_voice_search_text() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.search_text := lower(plain_text(regexp_replace(
    ' ' || NEW.name || ' ' || NEW.description || ' '
      || coalesce((SELECT string_agg(label.value, ' ') FROM jsonb_each_text(NEW.labels) label), ''),
    '\s+', ' ', 'g')));
  RETURN NEW;
END $$;
