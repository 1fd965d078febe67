-- Locks the balances of keys, of the parent keys of those keys, and of accounts until the transaction ends, and brings them up to
-- date: balances whose period has ended, or has ended for their account, move into the current one, budgets of the accounts
-- into their current window, and holds whose deadline has passed end. What the caller reads afterwards is what there is now. Charges, holds, their ends and the adjustments of staff
-- begin with this function.
--
-- Two transactions do not deadlock, because both lock accounts before keys and each kind in the order of the ids. While one
-- transaction holds the lock of an account, no other changes what its keys have used, so the parent keys of a key can be locked in
-- a second step, once the key's row has named them. For the same reason the budgets of an account need no locks.
--
-- The balance of an account that is being moved to another cell is refused.
--
-- The function first looks for holds that have lapsed and for periods that have ended, and does nothing about them when there
-- are none: that is the usual case.
CREATE OR REPLACE FUNCTION lock_balances(key_ids uuid[], account_ids uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
DECLARE
  ids uuid[] := key_ids || account_ids;
  lapsed_keys uuid[];
  lapsed credit_hold[];
  period_is_over boolean;
  have_makers boolean;
  is_frozen boolean;
  have_budgets boolean;
BEGIN
  IF EXISTS (SELECT FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now()) THEN
    lapsed_keys := ARRAY(
      SELECT h.key_id FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now());
    ids := ids || lapsed_keys;
  END IF;
  SELECT bool_or(b.period_end <= b.instant), bool_or(b.maker_ids IS NOT NULL), bool_or(b.frozen), bool_or(b.has_budgets)
  INTO period_is_over, have_makers, is_frozen, have_budgets FROM (
    SELECT l.*, greatest(now(), max(l.period_start) OVER (PARTITION BY l.account_id)) AS instant FROM (
      SELECT c.account_id, c.period_start, c.period_end, c.maker_ids, c.frozen, c.has_budgets
      FROM credit_balance c WHERE c.subject_id = ANY (ids)
      ORDER BY c.subject, c.subject_id FOR UPDATE
    ) l
  ) b;
  -- As refuse_frozen_account: balances have no such trigger, which each charge would pay for.
  IF is_frozen THEN
    RAISE EXCEPTION 'The account is being moved to another cell.' USING ERRCODE = '55P03';
  END IF;
  IF have_makers THEN
    ids := ids || ARRAY(
      SELECT DISTINCT m.id FROM credit_balance c CROSS JOIN unnest(c.maker_ids) AS m (id) WHERE c.subject_id = ANY (ids));
    SELECT bool_or(b.period_end <= b.instant) INTO period_is_over FROM (
      SELECT l.*, greatest(now(), max(l.period_start) OVER (PARTITION BY l.account_id)) AS instant FROM (
        SELECT c.account_id, c.period_start, c.period_end FROM credit_balance c WHERE c.subject_id = ANY (ids)
        ORDER BY c.subject, c.subject_id FOR UPDATE
      ) l
    ) b;
  END IF;
  IF period_is_over THEN
    PERFORM roll_over_balances(ids);
  END IF;
  IF have_budgets THEN
    PERFORM roll_over_budgets(account_ids);
  END IF;
  IF lapsed_keys IS NOT NULL THEN
    lapsed := ARRAY(
      SELECT h FROM credit_hold h WHERE h.account_id = ANY (account_ids) AND h.deadline <= now() AND h.key_id = ANY (ids));
    PERFORM end_holds(lapsed, 'deadline');
    PERFORM give_back_prepaid(h.account_id, h.request_id, h.period_start, h.amount, 'release') FROM unnest(lapsed) h;
  END IF;
END $$;
