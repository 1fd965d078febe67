-- Gives an item of the history the row of its fingerprint, which a worker fills in.
CREATE OR REPLACE FUNCTION add_history_fingerprint() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO history_fingerprint (history_item_id, account_id) VALUES (NEW.id, NEW.account_id);
  RETURN NULL;
END $$;
