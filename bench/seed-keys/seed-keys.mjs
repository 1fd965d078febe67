// Fills a migrated, empty database with accounts and keys, to measure lists and searches on:
//
//     node bench/seed-keys/seed-keys.mjs postgres://…/greenroom_bench [keys] [accounts]
//
// A million keys over ten thousand accounts, unless other numbers are given. The first accounts own tens of thousands of
// keys, the last ones a few dozen. The same numbers give the same ids. No program can call with these keys: only digests are generated.
import { argv } from 'node:process';
import pg from 'pg';

const [databaseUrl, keys = '1000000', accounts = '10000'] = argv.slice(2);
if (!databaseUrl) throw new Error('Give the URL of a migrated, empty database.');

const TABLES = ['account', 'contact', 'api_key', 'api_key_secret', 'api_key_use', 'credit_balance'];

const ACCOUNTS = `
  INSERT INTO account (id, name, tier, status, voice_limit, concurrency_limit, ip_allow_list_enabled, created_at,
    tags, external_id)
  SELECT md5('account ' || n)::uuid,
    (ARRAY['Nordlicht','Acme','Blue Harbor','Quantum','Lumen','Vega','Pine & Sons','Orbit','Delta','Kestrel'])[1 + n % 10]
      || ' ' || (ARRAY['GmbH','Inc','Ltd','Studios','Games','Media'])[1 + n % 6] || ' ' || n,
    (ARRAY['free','free','free','starter','starter','creator','creator','pro','scale','enterprise'])[1 + n % 10],
    CASE WHEN n % 50 = 0 THEN 'suspended' ELSE 'active' END, 30, 5, n % 10 = 9, now() - n * interval '2 hours',
    CASE WHEN n % 200 = 0 THEN '{vip,emea}' WHEN n % 3 = 0 THEN '{emea}' ELSE '{}' END::text[], 'crm-' || n
  FROM generate_series(1, $1::int) n`;

const CONTACTS = `
  INSERT INTO contact (id, account_id, name, channel, email, categories)
  SELECT md5('contact ' || n)::uuid, md5('account ' || n)::uuid, 'Contact ' || n, 'email', 'contact' || n || '@customer.test',
    '{credits}'
  FROM generate_series(1, $1::int) n`;

const ACCOUNT_BALANCES = `
  INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
  SELECT a.id, 'account', a.id, 1000000, (random() * 900000)::int, a.created_at, p.period_start, p.period_end
  FROM account a, billing_period(a.created_at, now()) p`;

const KEYS = `
  INSERT INTO api_key (id, account_id, name, permissions, allowed_ips, expires_at, requests_per_minute, disable_reason,
    disabled_at, created_at, updated_at, tags, external_id)
  SELECT md5('key ' || n)::uuid, md5('account ' || (1 + floor($2::int * power(random(), 2)))::int)::uuid,
    CASE WHEN random() < 0.05 THEN 'production'
         ELSE (ARRAY['prod','staging','dev','test','ci','qa'])[1 + floor(random() * 6)::int] || '-'
           || (ARRAY['checkout','ingest','player','studio','narrator','support','mobile','web','etl','billing','lab','kiosk'])
                [1 + floor(random() * 12)::int] || '-' || substr(md5('name ' || n), 1, 6) END,
    CASE WHEN random() < 0.2 THEN NULL
         WHEN random() < 0.002 THEN ARRAY['audit_log_read']
         WHEN random() < 0.5 THEN ARRAY['voices_read','models_read']
         ELSE ARRAY['text_to_speech','voices_read','voices_write','voice_generation'] END,
    CASE WHEN random() < 0.02 THEN ARRAY['203.0.113.0/24', '2001:db8::/32'] END,
    CASE WHEN random() < 0.1 THEN now() + (random() - 0.3) * interval '400 days' END,
    CASE WHEN random() < 0.1 THEN 60 END,
    d.reason, CASE WHEN d.reason IS NOT NULL THEN now() - random() * interval '200 days' END,
    now() - random() * interval '1000 days', now(),
    CASE WHEN n % 5000 = 0 THEN '{legacy,ci}' WHEN n % 4 = 0 THEN '{ci}' ELSE '{}' END::text[], 'key-' || n
  FROM generate_series(1, $1::int) n,
    LATERAL (SELECT CASE WHEN random() < 0.05 AND n > 0
       THEN (ARRAY['trial_ended','unused','exposed_publicly','payment_overdue'])[1 + floor(random() * 4)::int] END AS reason) d`;

const SECRETS = `
  INSERT INTO api_key_secret (digest, key_id, number, hint, created_at, last_used_at, last_used_address)
  SELECT encode(sha256(convert_to('secret ' || k.id, 'UTF8')), 'hex'), k.id, 1, 'grk_…' || h.hint, k.created_at,
    u.last_used_at, CASE WHEN u.last_used_at IS NOT NULL THEN '203.0.113.7' END
  FROM api_key k,
    LATERAL (SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
               1 + get_byte(decode(md5('hint ' || k.id), 'hex'), i) % 62, 1), '') AS hint FROM generate_series(0, 3) i) h,
    LATERAL (SELECT CASE WHEN random() < 0.6 THEN now() - power(random(), 4) * (now() - k.created_at) END AS last_used_at) u`;

const USES = `
  INSERT INTO api_key_use (key_id, last_used_at, last_used_address)
  SELECT key_id, last_used_at, last_used_address FROM api_key_secret`;

const KEY_BALANCES = `
  INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
  SELECT k.id, 'key', k.account_id, CASE WHEN random() < 0.3 THEN 100000 END, (random() * 5000)::int, a.period_anchor,
    a.period_start, a.period_end
  FROM api_key k JOIN credit_balance a ON a.subject_id = k.account_id AND a.subject = 'account'`;

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows: present } = await client.query('SELECT EXISTS (SELECT FROM account) AS present');
if (present[0].present) throw new Error('There are accounts in this database: it is not an empty one.');

const startedAt = Date.now();
await client.query(`SELECT setseed(0.5)`);
await client.query(`SET maintenance_work_mem = '512MB'`);
// Filling first and indexing afterwards takes a third of the time.
const { rows: indexes } = await client.query(
  `SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
   WHERE i.schemaname = 'public' AND i.tablename = ANY ($1)
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('public.%I', i.indexname)::regclass)`,
  [TABLES],
);
await step('drop indexes', () => client.query(`DROP INDEX ${indexes.map(({ name }) => name).join(', ')}`));
await step('accounts', () => client.query(ACCOUNTS, [accounts]));
await step('contacts', () => client.query(CONTACTS, [accounts]));
await step('balances of accounts', () => client.query(ACCOUNT_BALANCES));
await step('keys', () => client.query(KEYS, [keys, accounts]));
await step('secrets', () => client.query(SECRETS));
await step('uses', () => client.query(USES));
await step('balances of keys', () => client.query(KEY_BALANCES));
for (const { name, definition } of indexes) await step(name, () => client.query(definition));
for (const table of TABLES) await step(`vacuum ${table}`, () => client.query(`VACUUM (ANALYZE) ${table}`));
await client.end();
console.log(`${keys} keys over ${accounts} accounts in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);

async function step(name, run) {
  const stepStartedAt = Date.now();
  await run();
  console.log(`${name.padEnd(32)}${((Date.now() - stepStartedAt) / 1000).toFixed(1).padStart(8)} s`);
}
