import { createRequire } from 'node:module';
import { prepareGreenroom } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
const KEYS_EACH = 10;
const STATEMENT_LINES = 20_000;

/** What a line of the ledger takes on disk: with `accounts` that charge in turn, by keys with a limit, for services. */
export async function run({ quick, options }) {
  const lines = Number(options.lines ?? (quick ? 100_000 : 1_000_000));
  const postgres = await startPostgres();
  try {
    await prepareGreenroom(postgres, 'ledger', { keys: 1 });
    const { Client } = require('pg');
    const client = new Client({ connectionString: postgres.url('ledger') });
    await client.connect();
    const rows = [];
    for (const accounts of [1, 1_000, 20_000]) rows.push(await measure(client, accounts, lines));
    await client.end();
    return { title: `Bytes of a ledger line with its indexes, ${lines} lines`, rows };
  } finally {
    await postgres.stop();
  }
}

async function measure(client, accounts, lines) {
  await client.query('TRUNCATE ledger_line');
  for (let written = 0; written < lines; written += STATEMENT_LINES)
    await client.query(FILL, [accounts, KEYS_EACH, Math.min(STATEMENT_LINES, lines - written)]);
  const { rows } = await client.query(SIZES);
  const bytes = Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes) / lines]));
  const total = Object.values(bytes).reduce((sum, each) => sum + each, 0);
  return { accounts, lineBytes: total, ...bytes };
}

/** Lines as charge_batch writes them, of accounts and keys at random. */
const FILL = `
INSERT INTO ledger_line (account, key, period_start, kind, amount, operation, request, form, key_limit, account_limit)
SELECT a, a * $2::int + floor(random() * $2::int)::int, date_trunc('month', now()), 'c', 120, 1, gen_random_uuid(), 's', 50000, 1000000
FROM (SELECT floor(random() * $1::int)::int AS a FROM generate_series(1, $3::int)) x`;

/** The table, and each of its indexes by its columns. */
const SIZES = `
SELECT CASE c.relkind WHEN 'r' THEN 'table' ELSE 'index of ' || regexp_replace(
    pg_get_indexdef(c.oid), '.*USING btree \\((.*)\\)$', '\\1') END AS name, pg_relation_size(c.oid) AS bytes
FROM ledger_month m
JOIN LATERAL (
  SELECT m.partition::oid AS oid UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = m.partition
) o ON true
JOIN pg_class c ON c.oid = o.oid
WHERE m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date ORDER BY c.relkind DESC, 1`;
