-- Trigger: refuses every change and removal in the audit log.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only: % refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
