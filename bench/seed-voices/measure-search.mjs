// Times searches of voices at the HTTP edge of a built api, and prints the plans of their queries:
//
//     npm run build && node bench/seed-voices/measure-search.mjs postgres://…/greenroom_bench [rounds] [--plans] [--json]
//
// Needs a database filled by seed-voices.mjs. Adds a key to three of its accounts.
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { argv } from 'node:process';

const [databaseUrl, rounds = '100'] = argv.slice(2).filter((word) => !word.startsWith('--'));
const withPlans = argv.includes('--plans');
const asJson = argv.includes('--json');
const rows = [];
const require = createRequire(import.meta.url);
const { createApi } = require('../../dist/apps/api/src/main.js');
const { loadConfig } = require('../../dist/libs/config/app-config.js');
const { ApiKeysService } = require('../../dist/libs/administration/keys/api-keys.service.js');
const { getDataSourceToken } = require('@nestjs/typeorm');

const md5 = (text) => createHash('md5').update(text).digest('hex');
const pick = (values) => values[Math.floor(Math.random() * values.length)];
const take = () => md5(`take ${3 * Math.ceil(Math.random() * 300_000)}`).slice(0, 6);

const OWNERS = { 'a third of all': 0, 'ten thousand': 1, 'a few dozen': 100 };
const CASES = {
  newest: () => '',
  'by name': () => 'sort=name',
  'a rare word': () => `search=${take()}`,
  'a common word': () => `search=${pick(['warm', 'narrator', 'voice', 'games'])}`,
  'two common words': () => `search=${pick(['warm husky', 'deep old', 'silas captain', 'nils reader'])}`,
  'common, by name': () => `search=${pick(['warm', 'clerk', 'dry'])}&sort=name`,
  'a word of two letters': () => `search=${pick(['no', 'qu', 'zz'])}`,
  nothing: () => 'search=zzzzzz',
  labels: () => 'gender=female&age=old&accent=irish&use_cases=news&use_cases=games',
  'a rare label': () => 'accent=faroese',
  'labels and a word': () => `gender=male&search=${pick(['calm', 'scholar'])}`,
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

if (!asJson) console.log(`${'ms'.padEnd(44)}     p50     p95     max     total`);
for (const [owner, number] of Object.entries(OWNERS)) {
  const hash = md5(`account ${number}`);
  const accountId = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const { secret } = await app.get(ApiKeysService).create({ name: 'bench', permissions: 'all', accountId });
  for (const [name, query] of Object.entries(CASES)) await measure(`${owner}: ${name}`, secret, query);
  if (withPlans) await printPlans(owner, secret);
}
await app.close();
if (asJson) console.log(JSON.stringify(rows));

async function measure(name, secret, query) {
  for (let round = 0; round < 5; round += 1) await get(secret, query());
  const times = [];
  let total = null;
  for (let round = 0; round < Number(rounds); round += 1) {
    const startedAt = performance.now();
    ({ total_count: total } = await get(secret, query()));
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const ms = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  rows.push({ name, p50Ms: ms(0.5), p95Ms: ms(0.95), maxMs: ms(1), total: String(total) });
  if (asJson) return;
  const at = (share) => ms(share).toFixed(1).padStart(8);
  console.log(`${name.padEnd(44)}${at(0.5)}${at(0.95)}${at(1)}   ${total}`);
}

async function get(secret, query) {
  const answer = await fetch(`${baseUrl}/v2/voices?${query}`, { headers: { 'xi-api-key': secret } });
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`${query} responded ${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

/** Runs every case once more with its statements explained. */
async function printPlans(owner, secret) {
  const dataSource = app.get(getDataSourceToken());
  const { DataSource } = require('typeorm');
  const original = DataSource.prototype.query;
  const statements = [];
  DataSource.prototype.query = function (sql, values, ...rest) {
    if (/^(SELECT|WITH)/.test(sql.trim()) && /voice v/.test(sql)) statements.push([sql, values]);
    return original.call(this, sql, values, ...rest);
  };
  for (const [name, query] of Object.entries(CASES)) {
    statements.length = 0;
    await get(secret, query());
    for (const [sql, values] of statements.slice()) {
      const rows = await original.call(
        dataSource,
        `EXPLAIN (ANALYZE, BUFFERS OFF, COSTS OFF) ${sql}`,
        values,
      );
      console.log(`\n## ${owner}: ${name}\n${rows.map((row) => row['QUERY PLAN']).join('\n')}`);
    }
  }
  DataSource.prototype.query = original;
}
