-- How many lines are in no month's partition. A view, because the application's role may not read a partition directly.
CREATE OR REPLACE VIEW ledger_elsewhere AS SELECT count(*) AS lines FROM ledger_line_other;
