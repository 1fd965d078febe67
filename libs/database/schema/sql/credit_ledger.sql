-- The lines of the ledger as they are read. ledger_line stores numbers for ids, one letter for the kind, a number for the
-- operation and 16 bytes for the request id; this is the one place that says what they mean. What finds a line by its request
-- id compares uuid_hash_extended(request, 0) as well, because that is what the index has.
CREATE OR REPLACE VIEW credit_ledger AS
SELECT l.id, a.subject_id AS account_id, k.subject_id AS key_id,
  CASE WHEN l.makers IS NOT NULL THEN balance_ids(l.makers) END AS maker_ids, l.period_start,
  CASE l.kind WHEN 'c' THEN 'charge' WHEN 'r' THEN 'refund' WHEN 'h' THEN 'hold' WHEN 'l' THEN 'release' WHEN 'g' THEN 'grant'
    ELSE 'adjustment' END AS kind,
  l.amount, o.name AS operation,
  CASE l.form WHEN 'o' THEN replace(l.request::text, '-', '') WHEN 's' THEN 'service/' || replace(l.request::text, '-', '')
    WHEN 'u' THEN l.request::text WHEN 'v' THEN 'service/' || l.request::text ELSE l.request_text END AS request_id,
  l.created_at, l.actor, l.key_limit, l.account_limit, l.maker_limits,
  l.account, l.request, l.form, l.request_text, l.budgets, l.budget_windows, l.budget_limits, l.end_user
FROM ledger_line l
JOIN credit_balance a ON a.number = l.account
LEFT JOIN credit_balance k ON k.number = l.key
JOIN ledger_operation o ON o.code = l.operation;
