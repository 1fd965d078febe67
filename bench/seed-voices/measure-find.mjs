// Times the search over everything (`GET /admin/search`) at the HTTP edge of a built api:
//
//     npm run build && node bench/seed-voices/measure-find.mjs postgres://…/greenroom_bench [rounds] [--json]
//
// Needs a database filled by seed-keys.mjs and then by seed-voices.mjs. Adds requests and a member of staff to it.
import { createRequire } from 'node:module';
import { argv } from 'node:process';
import pg from 'pg';
import { configFor } from '../lib/greenroom.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const [databaseUrl, rounds = '200'] = argv.slice(2).filter((word) => !word.startsWith('--'));
const asJson = argv.includes('--json');
const require = createRequire(import.meta.url);
const { createApi } = require('../../dist/apps/api/src/main.js');

/** Two weeks of requests of a fifth of the keys, some of them refused, and what they cost. */
const TRAFFIC = [
  `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
   SELECT k.id, date_trunc('hour', now()) - n * interval '1 day', 'GET /v1/voices',
     '198.51.100.' || abs(hashtext(k.id::text)) % 200, 'served', 10, now() - n * interval '1 day', now() - n * interval '1 day'
   FROM api_key k, generate_series(0, 4) n WHERE abs(hashtext(k.id::text)) % 5 = 0 ON CONFLICT DO NOTHING`,
  `INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
   SELECT k.id, now() - random() * interval '14 days', 'GET /v1/voices', '198.51.100.9', 'ip', 'address_not_listed', 403, md5('r' || k.id)
   FROM api_key k WHERE abs(hashtext(k.id::text)) % 5 = 1`,
  `INSERT INTO key_request (key_id, at, route, address, status, duration_ms, request_id)
   SELECT k.id, now() - random() * interval '14 days', 'POST /v1/text-to-voice/design', '198.51.100.9', 200, 900, md5('c' || k.id)
   FROM api_key k WHERE abs(hashtext(k.id::text)) % 5 < 3`,
  `SELECT write_ledger_line(k.account_id, k.id, NULL, now() - interval '20 days', 'charge', 120, 'text_to_voice_design', md5('c' || k.id))
   FROM api_key k WHERE abs(hashtext(k.id::text)) % 5 < 3`,
  'VACUUM (ANALYZE) observed_traffic',
  'VACUUM (ANALYZE) key_refusal',
  'VACUUM (ANALYZE) key_request',
  'VACUUM (ANALYZE) ledger_line',
];

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows: present } = await client.query('SELECT EXISTS (SELECT FROM key_refusal) AS present');
if (!present[0].present) for (const statement of TRAFFIC) await client.query(statement);
const sample = async (value, table) =>
  (await client.query(`SELECT ${value} AS value FROM ${table} TABLESAMPLE SYSTEM (0.1) LIMIT 500`)).rows.map(
    (row) => row.value,
  );
const hints = await sample('right(hint, 4)', 'api_key_secret');
const keys = await sample('id', 'api_key');
const keyNames = await sample('right(name, 6)', 'api_key');
const voices = await sample('id', 'voice');
const voiceNames = await sample('right(name, 5)', 'voice');
const refusals = await sample('request_id', 'key_refusal');
const charges = await sample(`replace(request::text, '-', '')`, 'ledger_line');
const pick = (values) => values[Math.floor(Math.random() * values.length)];

const CASES = {
  'a name nearly all have': () => pick(['prod', 'production', 'dev-', 'narrator', 'reader', 'er']),
  'a common name': () => pick(['checkout', 'staging-player', 'qa-lab', 'Piotr scholar', 'Tilda', 'clerk']),
  'a rare part of a key': () => pick(keyNames),
  'a rare part of a voice': () => pick(voiceNames),
  'an account': () => pick(['Kestrel', 'Games 7', 'Nordlicht GmbH 91', 'pine']),
  'two letters': () => pick(['pr', 'st', 'ti', 'qa', 'zz', 'no']),
  'nothing at all': () => pick(['zzzzzz', 'no such thing', 'qqq']),
  'the last four': () => pick(hints),
  'id of a key': () => pick(keys),
  'id of a voice': () => pick(voices),
  'a refused request': () => pick(refusals),
  'a charged request': () => pick(charges),
  'an address': () => `198.51.100.${Math.floor(Math.random() * 200)}`,
  'an address on lists': () => `203.0.113.${Math.floor(Math.random() * 200)}`,
};

const app = await createApi(configFor(databaseUrl));
await app.listen(0, '127.0.0.1');
const send = await signInAdmin(databaseUrl, await app.getUrl());
const rows = [];
const all = [];
for (const [name, query] of Object.entries(CASES)) rows.push(await measure(name, query));
rows.push({ name: 'all together', ...shares(all), found: '' });
if (asJson) console.log(JSON.stringify(rows));
else console.table(rows);
await app.close();
await client.end();

async function measure(name, query) {
  const find = () => send('GET', `/admin/search?q=${encodeURIComponent(query())}`);
  for (let round = 0; round < 5; round += 1) await find();
  const times = [];
  let found = 0;
  for (let round = 0; round < Number(rounds); round += 1) {
    const startedAt = performance.now();
    const { body } = await find();
    times.push(performance.now() - startedAt);
    found += body.items.length;
  }
  all.push(...times);
  return { name, ...shares(times), found: (found / Number(rounds)).toFixed(1) };
}

function shares(times) {
  times.sort((a, b) => a - b);
  const at = (share) =>
    Number(times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1));
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}
