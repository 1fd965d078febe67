-- Gives credits of a request that is refunded, or of a hold that has ended, back to the prepaid grants that they were taken from: at
-- most what the request has still taken in that billing period, and first to the grant that was taken from last. `as_what` is
-- `refund` or `release`. Of a grant that has ended they end with it. The caller holds the row lock of the account's balance.
--
-- settle_credits has written what it took as grants to the period, whose request id names the request and the prepaid grant.
CREATE OR REPLACE FUNCTION give_back_prepaid(p_account_id uuid, p_request_id text, of_period timestamptz, credits bigint, as_what text)
RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET search_path = public, pg_temp AS $$
DECLARE
  rest bigint := credits;
  source prepaid_grant;
  back bigint;
BEGIN
  FOR source IN
    SELECT * FROM prepaid_grant g WHERE g.account_id = p_account_id ORDER BY g.ends_at DESC NULLS FIRST, g.created_at DESC, g.id DESC
  LOOP
    EXIT WHEN rest <= 0;
    SELECT least(rest, coalesce(-sum(l.amount), 0)) INTO back
    FROM unnest(ARRAY['charge', 'release', 'refund']) AS w (what)
    CROSS JOIN LATERAL (SELECT concat_ws('/', 'prepaid', w.what, source.id, p_request_id) AS text OFFSET 0) t
    CROSS JOIN LATERAL (SELECT ledger_request(t.text, 't') AS request OFFSET 0) r
    JOIN ledger_line l ON uuid_hash_extended(l.request, 0) = uuid_hash_extended(r.request, 0) AND l.request = r.request
      AND l.form = 't' AND l.request_text = t.text AND l.kind = 'g' AND l.period_start = of_period
    JOIN credit_balance a ON a.number = l.account AND a.subject_id = p_account_id;
    CONTINUE WHEN back <= 0;
    PERFORM write_ledger_line(p_account_id, NULL, NULL, of_period, 'grant', back, 'prepaid',
      concat_ws('/', 'prepaid', as_what, source.id, p_request_id));
    UPDATE prepaid_grant g SET remaining = g.remaining + back WHERE g.id = source.id;
    UPDATE credit_balance b SET granted = b.granted - back, prepaid_used = b.prepaid_used - back, has_prepaid = true
    WHERE b.subject_id = p_account_id AND b.period_start = of_period;
    IF NOT FOUND THEN
      UPDATE credit_balance_history h SET granted = h.granted - back, prepaid_used = h.prepaid_used - back
      WHERE h.subject_id = p_account_id AND h.period_start = of_period;
      UPDATE credit_balance b SET has_prepaid = true WHERE b.subject_id = p_account_id;
    END IF;
    rest := rest - back;
  END LOOP;
END $$;
