-- Takes one of the slots of an account, or of a key with a limit, for a generation, if one is free, and returns how many are
-- taken afterwards. A slot whose
-- lease has expired is free. A slot that is in the table already, as by a renewal, does not count against itself.
CREATE OR REPLACE FUNCTION take_generation_slot(p_account_id uuid, p_id text, p_limit int, p_lease_ms int)
RETURNS TABLE (taken boolean, running int) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('generation_slot ' || p_account_id, 0));
  DELETE FROM generation_slot s WHERE s.account_id = p_account_id AND s.expires_at <= clock_timestamp();
  SELECT count(*) INTO running FROM generation_slot s WHERE s.account_id = p_account_id AND s.id <> p_id;
  taken := running < p_limit;
  IF taken THEN
    INSERT INTO generation_slot (id, account_id, expires_at)
      VALUES (p_id, p_account_id, clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0))
      ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at;
    running := running + 1;
  END IF;
  RETURN NEXT;
END $$;
