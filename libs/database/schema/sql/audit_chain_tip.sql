-- Takes the lock of the audit chain until the transaction ends and returns where the chain ends: the day and time of the
-- next event, and the hash and number of the event before it. The function is VOLATILE so that it sees, once it has the lock,
-- what the last holder of the lock has committed. Time never runs backwards in the chain.
CREATE OR REPLACE FUNCTION audit_chain_tip(lock_number bigint, OUT day text, OUT seq integer, OUT hash text, OUT at timestamptz)
LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  head audit_head;
BEGIN
  PERFORM pg_advisory_xact_lock(lock_number);
  SELECT * INTO head FROM audit_head h ORDER BY h.day DESC LIMIT 1;
  at := date_trunc('milliseconds', greatest(clock_timestamp(), head.at));
  day := to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD');
  hash := head.hash;
  seq := CASE WHEN to_char(head.day, 'YYYY-MM-DD') = day THEN head.seq ELSE 0 END;
END $$;
