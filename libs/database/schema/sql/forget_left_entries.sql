-- Trigger: when the allow-list of a key changes, deletes the notes and ends of entries that have left the list, and the undo
-- of the change before.
CREATE OR REPLACE FUNCTION forget_left_entries() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM allow_list_entry WHERE key_id = NEW.id AND cidr <> ALL (coalesce(NEW.allowed_ips, '{}'));
  DELETE FROM key_undo WHERE subject_id = NEW.id AND setting = 'allowed_ips';
  RETURN NULL;
END $$;
