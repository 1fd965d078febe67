-- The number of an operation in the ledger; a new name gets one.
CREATE OR REPLACE FUNCTION ledger_operation_code(operation text) RETURNS int LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  found_code int;
BEGIN
  LOOP
    SELECT o.code INTO found_code FROM ledger_operation o WHERE o.name = operation;
    IF FOUND THEN RETURN found_code; END IF;
    INSERT INTO ledger_operation (name) VALUES (operation) ON CONFLICT (name) DO NOTHING;
  END LOOP;
END $$;
