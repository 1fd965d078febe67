// Times lists and searches of keys at the HTTP edge of a built api, and prints the plans of their queries:
//
//     npm run build && node bench/seed-keys/measure-lists.mjs postgres://…/greenroom_bench [rounds] [--only=part of a case's name] [--plans] [--json]
//
// Needs a database filled by seed-keys.mjs. Adds a member of staff to it.
import { createRequire } from 'node:module';
import { randomBytes } from 'node:crypto';
import { argv } from 'node:process';
import pg from 'pg';

const [databaseUrl, rounds = '200'] = argv.slice(2).filter((word) => !word.startsWith('--'));
const withPlans = argv.includes('--plans');
const asJson = argv.includes('--json');
const rows = [];
const only = argv.find((word) => word.startsWith('--only='))?.slice(7) ?? '';
const require = createRequire(import.meta.url);
const { createApi } = require('../../dist/apps/api/src/main.js');
const { loadConfig } = require('../../dist/libs/config/app-config.js');
const { StaffService } = require('../../dist/libs/administration/staff/staff.service.js');
const { StaffRepository } = require('../../dist/libs/database/staff/staff.repository.js');
const { OWN_PASSWORD } = require('../../dist/libs/administration/staff/staff-changes.js');
const { getDataSourceToken } = require('@nestjs/typeorm');

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const sample = async (sql) => (await client.query(sql)).rows.map((row) => row.value);
const accounts = await sample(`SELECT id AS value FROM account ORDER BY md5(id::text) LIMIT 200`);
const largest = await sample(
  `SELECT account_id AS value FROM api_key GROUP BY 1 ORDER BY count(*) DESC LIMIT 20`,
);
const hints = await sample(
  `SELECT right(hint, 4) AS value FROM api_key_secret ORDER BY md5(digest) LIMIT 500`,
);
const rareParts = await sample(
  `SELECT right(name, 6) AS value FROM api_key WHERE name <> 'production' ORDER BY md5(id::text) LIMIT 500`,
);
const ids = await sample(`SELECT id AS value FROM api_key ORDER BY md5('x' || id::text) LIMIT 500`);
const commonParts = [
  'prod',
  'production',
  'checkout',
  'staging-player',
  'dev-',
  'etl',
  'kiosk',
  'qa-lab',
  'zzzzzz',
  'pr',
];
const number = () => 1 + Math.floor(Math.random() * 100_000);
const pick = (values) => values[Math.floor(Math.random() * values.length)];

const list = (query) => `/admin/api-keys?${query}`;
const CASES = {
  'no key at all': () => '/admin/me',
  'first page': () => list(''),
  'an owner': () => list(`account_id=${pick(accounts)}`),
  'a large owner': () => list(`account_id=${pick(largest)}`),
  'a large owner, name part': () => list(`account_id=${pick(largest)}&search=${pick(commonParts)}`),
  'rare name part': () => list(`search=${pick(rareParts)}`),
  'common name part': () => list(`search=${pick(commonParts)}`),
  'common name part, by name': () => list(`search=${pick(commonParts)}&sort=name`),
  'the last four': () => list(`hint=${pick(hints)}`),
  'an id': () => list(`search=${pick(ids)}`),
  'by name': () => list('sort=name'),
  'by expiry': () => list('sort=expires_at'),
  'by last use': () => list('sort=-last_used_at'),
  disabled: () => list('status=disabled'),
  'enabled, one scope': () => list('status=enabled&permission=voices_write'),
  'a rare scope': () => list('permission=audit_log_read'),
  'with allow-list': () => list('has_allow_list=true'),
  'expiring soon': () => list(`expiring_before=${new Date(Date.now() + 30 * 86_400_000).toISOString()}`),
  'unused for long': () => list(`unused_since=${new Date(Date.now() - 300 * 86_400_000).toISOString()}`),
  'used today': () => list(`used_since=${new Date(Date.now() - 86_400_000).toISOString()}`),
  'a rare tag': () => list('tag=legacy'),
  'a common tag': () => list('tag=ci'),
  'a tag of accounts': () => list('tag=vip'),
  'an external id': () => list(`external_id=key-${number()}`),
  'a contact': () => list(`contact=contact${number() % 200}@customer.test`),
  'my accounts': () => list('manager=me'),
  'accounts without a manager': () => list('manager=none'),
  'deep page': null,
  'one key': () => `/admin/api-keys/${pick(ids)}`,
  'an account': () => `/admin/accounts/${pick(accounts)}`,
  'a large account': () => `/admin/accounts/${pick(largest)}`,
  'accounts with a rare tag': () => '/admin/accounts?tag=vip',
  'accounts with a common tag': () => '/admin/accounts?tag=emea',
  'accounts of a manager': () => '/admin/accounts?manager=me',
  'accounts of a contact': () => `/admin/accounts?contact=contact${number() % 200}@customer.test`,
  'an account by external id': () => `/admin/accounts?external_id=crm-${number() % 200}`,
  'accounts by name part': () =>
    `/admin/accounts?search=${pick(['nord', 'Quantum', 'games 7', 'ltd 91', 'ion', 've'])}`,
};

const config = loadConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'error',
  DATABASE_URL: databaseUrl,
  APP_SECRET: randomBytes(32).toString('base64url'),
});
const app = await createApi(config);
await app.listen(0, '127.0.0.1');
const baseUrl = await app.getUrl();
const cookie = await signIn();

if (!asJson) console.log(`${'ms'.padEnd(28)}     p50     p95     max     total`);
for (const [name, path] of Object.entries(CASES)) {
  if (name.includes(only)) await measure(name, path ?? (await deepPage()));
}
await measureCreation();
if (asJson) console.log(JSON.stringify(rows));
if (withPlans) await printPlans();
await app.close();
await client.end();

async function measure(name, path) {
  for (let round = 0; round < 5; round += 1) await get(path());
  const times = [];
  let total = null;
  for (let round = 0; round < Number(rounds); round += 1) {
    const startedAt = performance.now();
    const body = await get(path());
    times.push(performance.now() - startedAt);
    if (body.total !== undefined) total = `${body.total_is_estimate ? 'about ' : ''}${body.total}`;
  }
  report(name, times, total ?? '');
}

async function measureCreation() {
  const times = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    const body = JSON.stringify({ name: `bench ${round}`, permissions: 'all', reason: 'Measurement' });
    const startedAt = performance.now();
    const answer = await fetch(`${baseUrl}/admin/accounts/${pick(accounts)}/api-keys`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body,
    });
    await answer.json();
    if (answer.status !== 201) throw new Error(`Creating a key: status ${answer.status}.`);
    times.push(performance.now() - startedAt);
  }
  report('create a key', times, '');
}

function report(name, times, total) {
  times.sort((a, b) => a - b);
  const ms = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  rows.push({ name, p50Ms: ms(0.5), p95Ms: ms(0.95), maxMs: ms(1), total: String(total) });
  if (asJson) return;
  const at = (share) => ms(share).toFixed(1).padStart(8);
  console.log(`${name.padEnd(28)}${at(0.5)}${at(0.95)}${at(1)}   ${total}`);
}

async function get(path) {
  const answer = await fetch(baseUrl + path, { headers: { cookie } });
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`${path} responded ${answer.status}: ${body.detail}`);
  return body;
}

async function deepPage() {
  let cursor = '';
  for (let page = 0; page < 50; page += 1)
    cursor = (await get(list(`limit=200&cursor=${cursor}`))).next_cursor;
  return () => list(`cursor=${cursor}`);
}

async function signIn() {
  const email = `bench-${randomBytes(4).toString('hex')}@staff.test`;
  const actor = { kind: 'system', id: 'bench', name: 'bench', role: null, address: null, requestId: null };
  const { member, password } = await app
    .get(StaffService)
    .add(actor, { email, role: 'admin', reason: 'Measurement' });
  await app
    .get(getDataSourceToken())
    .transaction((em) => app.get(StaffRepository).update(member.id, OWN_PASSWORD, em));
  await client.query('UPDATE account SET manager_id = $1 WHERE id = ANY ($2)', [
    member.id,
    accounts.slice(0, 50),
  ]);
  const answer = await fetch(`${baseUrl}/admin/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (answer.status !== 200) throw new Error(`Signing in: status ${answer.status}.`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** Runs every case once more with its statements explained, as PostgreSQL's own log of slow statements would. */
async function printPlans() {
  const dataSource = app.get(getDataSourceToken());
  const { DataSource } = require('typeorm');
  const original = DataSource.prototype.query;
  const statements = [];
  DataSource.prototype.query = function (sql, values, ...rest) {
    if (/^(SELECT|WITH)/.test(sql.trim()) && /api_key k|account a/.test(sql)) statements.push([sql, values]);
    return original.call(this, sql, values, ...rest);
  };
  for (const [name, path] of Object.entries(CASES)) {
    if (!path || !name.includes(only)) continue;
    statements.length = 0;
    await get(path());
    for (const [sql, values] of statements.slice()) {
      const rows = await original.call(
        dataSource,
        `EXPLAIN (ANALYZE, BUFFERS OFF, COSTS OFF) ${sql}`,
        values,
      );
      const plan = rows.map((row) => row['QUERY PLAN']);
      console.log(`\n## ${name}\n${plan.join('\n')}`);
    }
  }
  DataSource.prototype.query = original;
}
