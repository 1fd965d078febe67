/** The names of our tables, quoted where it must be; a partition is read through its table. */
export const OUR_TABLES = `
  SELECT c.oid::regclass::text AS table, n.nspname || '.' || c.relname AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('public', 'staff_auth') AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;
