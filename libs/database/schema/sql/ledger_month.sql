-- The months of which the ledger has a partition.
CREATE OR REPLACE VIEW ledger_month AS
SELECT to_date(right(c.relname, 7), 'YYYY_MM') AS month, c.oid::regclass AS partition, c.reltuples::bigint AS lines_about,
  pg_total_relation_size(c.oid) AS bytes
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'ledger_line'::regclass AND c.relname ~ '^ledger_line_\d{4}_\d{2}$';
