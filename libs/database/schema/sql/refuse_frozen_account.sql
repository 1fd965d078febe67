-- Refuses a change of what belongs to an account while it is being moved to another cell: what is written then would stay behind.
-- An argument says that the trigger has looked itself. As a lock that is not available (55P03): the api responds 503, and a batch of
-- charges is settled without that account.
CREATE OR REPLACE FUNCTION refuse_frozen_account() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  its_account uuid;
BEGIN
  IF TG_NARGS = 0 AND TG_OP = 'DELETE' THEN
    its_account := OLD.account_id;
  ELSIF TG_NARGS = 0 THEN
    its_account := NEW.account_id;
  END IF;
  IF current_setting('greenroom.moves_accounts', true) IS DISTINCT FROM 'on'
    AND (TG_NARGS > 0 OR EXISTS (SELECT FROM account a WHERE a.id = its_account AND a.frozen_at IS NOT NULL))
  THEN
    RAISE EXCEPTION 'The account is being moved to another cell.' USING ERRCODE = '55P03';
  END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
