// Measures Key safety on a world of 2,000 accounts and 50,000 keys with a year of charges and of traffic, and compares every
// card with a query written by hand. Then tries the permissions and the allow-lists that are suggested for keys against their
// own traffic: none of it may be refused. At last an api serves what the pages of the console request.
//
//     npm run build && node bench/key-safety/measure.mjs [--accounts=2000] [--keys=50000] [--days=365] [--hours=1]
//
// Starts a PostgreSQL of its own and removes it. `--hours`: hours of traffic on each of the last `--days` days.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { argv } from 'node:process';
import { startApi } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const USAGE =
  'Usage: node bench/key-safety/measure.mjs [--accounts=2000] [--keys=50000] [--days=365] [--hours=1]';
if (argv.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
/** That traffic is kept for. */
const DAYS = 30;
/** What a page may take, p95. */
const PAGE_MS = 300;
const sizes = { accounts: 2_000, keys: 50_000, days: 365, hours: 1 };
for (const word of argv.slice(2)) {
  const [, name, value] = /^--(accounts|keys|days|hours)=([1-9]\d{0,6})$/.exec(word) ?? [];
  if (name === undefined) throw new Error(`${word} is not an option. ${USAGE}`);
  sizes[name] = Number(value);
}

const require = createRequire(import.meta.url);
const pg = require('pg');
const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
const { createDataSource } = require('../../dist/libs/database/data-source.js');
const { KeyFindingRepository } = require('../../dist/libs/database/key-safety/key-finding.repository.js');
const { KeySafetyRepository } = require('../../dist/libs/database/key-safety/key-safety.repository.js');
const { ApiKeySearchRepository } = require('../../dist/libs/database/keys/api-key-search.repository.js');
const { ApiKeyRepository } = require('../../dist/libs/database/keys/api-key.repository.js');
const { CreditLedgerRepository } = require('../../dist/libs/database/credits/credit-ledger.repository.js');
const {
  ObservedTrafficRepository,
} = require('../../dist/libs/database/traffic/observed-traffic.repository.js');
const { AccountRepository } = require('../../dist/libs/database/accounts/account.repository.js');
const {
  AllowListDryRunsService,
} = require('../../dist/libs/administration/allow-lists/allow-list-dry-runs.service.js');
const { KeyDryRunsService } = require('../../dist/libs/administration/keys/key-dry-runs.service.js');
const {
  KeySafetyWatchService,
} = require('../../dist/libs/administration/key-safety/key-safety-watch.service.js');
const { lastDays } = require('../../dist/libs/domain/common/utc-days.js');

const read = (name) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8');
const server = await startPostgres();
try {
  const url = await server.createDatabase('key_safety');
  await migrateDatabase(url, server.applicationUrl('key_safety'));
  const owner = new pg.Client({ connectionString: url });
  // What went wrong is thrown; that the server then stops under it is not news.
  owner.on('error', () => undefined);
  await owner.connect();
  await time('seeding', () =>
    owner.query(read('world').replace(/:(accounts|keys|days|hours)\b/g, (_, name) => String(sizes[name]))),
  );
  await owner.query('VACUUM ANALYZE');
  await count('rows of observed traffic', 'observed_traffic');
  await count('lines of the ledger', 'credit_ledger');

  const dataSource = await createDataSource(url, 'bench').initialize();
  const findings = new KeyFindingRepository(dataSource);
  const safety = new KeySafetyRepository(dataSource);
  const watch = new KeySafetyWatchService(dataSource, findings, safety);
  const rounds = [];
  while ((await safety.findPass())?.stage !== 'done') rounds.push(await measure(() => watch.look()));
  report(`one round of a pass, of ${rounds.length}`, rounds);
  await owner.query('ANALYZE');
  await count('findings', 'key_finding');

  const counts = await findings.count({});
  const byKind = counts.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  const { rows: expected } = await owner.query(read('cards'));
  assert.deepEqual(byKind, expected);
  console.table(Object.fromEntries(byKind.map(({ kind, ...numbers }) => [kind, numbers])));
  console.log('Every card counts what the query written by hand counts.');

  const { rows: accounts } = await owner.query('SELECT id FROM account ORDER BY md5(id::text) LIMIT 50');
  const { from } = lastDays(90, new Date());
  const keys = new ApiKeySearchRepository(dataSource);
  const page = { order: 'created_at', descending: true, after: null, limit: 51 };
  report('all cards', await repeat(30, () => Promise.all([findings.count({}), safety.findPass()])));
  report(
    'accounts, the lowest scores',
    await repeat(30, () =>
      safety.listAccounts({ order: 'score', descending: false, after: null, limit: 51 }),
    ),
  );
  report(
    'one account',
    await repeat(50, (turn) => {
      const { id } = accounts[turn % accounts.length];
      return Promise.all([findings.count({ accountId: id }), findings.score(id), safety.listDays(id, from)]);
    }),
  );
  for (const { kind } of byKind)
    report(`the list of ${kind}`, await repeat(10, () => keys.search({ finding: kind }, page)));
  const { rows: plan } = await owner.query(
    `EXPLAIN (ANALYZE, BUFFERS, SUMMARY) SELECT f.kind, count(*) FILTER (WHERE c.key_id IS NULL), count(c.key_id)
     FROM key_finding f LEFT JOIN key_finding_acceptance c
       ON c.key_id = f.key_id AND c.kind = f.kind AND c.until > now() GROUP BY f.kind`,
  );
  console.log(plan.map((row) => row['QUERY PLAN']).join('\n'));
  await tryProposals();
  await tryLists();
  await dataSource.destroy();
  await measurePages(byKind.map(({ kind }) => kind));

  /** Of 3,000 keys: the permissions that they have used, and what these and none at all would have refused. */
  async function tryProposals() {
    const repositories = [ApiKeyRepository, ObservedTrafficRepository, CreditLedgerRepository];
    const dryRuns = new KeyDryRunsService(...repositories.map((Repository) => new Repository(dataSource)));
    const { rows: sample } = await owner.query(
      'SELECT id FROM api_key WHERE deleted_at IS NULL ORDER BY md5(id::text) LIMIT 3000',
    );
    const sums = {
      keys: sample.length,
      proposed: 0,
      requests: 0,
      undecided: 0,
      refused: 0,
      refusedWithout: 0,
    };
    for (const { id } of sample) {
      const { used, undecided } = await dryRuns.suggestPermissions(id, DAYS);
      const judge = async (permissions) => (await dryRuns.run(id, { permissions }, DAYS)).permissions;
      const [proposed, none] = [await judge(used.map(({ permission }) => permission)), await judge([])];
      sums.proposed += used.length;
      sums.requests += proposed.requests;
      sums.undecided += undecided;
      sums.refused += proposed.refused;
      sums.refusedWithout += none.refused;
    }
    console.log('Permissions suggested, and tried:', sums);
    assert.equal(sums.refused, 0);
    assert.ok(sums.refusedWithout > 0);
  }

  /** Of 3,000 keys: the allow-list that is suggested, and what it and one without a used address would have refused. */
  async function tryLists() {
    const [keys, accounts, traffic] = [ApiKeyRepository, AccountRepository, ObservedTrafficRepository].map(
      (Repository) => new Repository(dataSource),
    );
    const dryRuns = new AllowListDryRunsService(keys, accounts, traffic, { trustedProxies: { cidrs: [] } });
    const { rows: sample } = await owner.query(
      `SELECT id FROM api_key WHERE deleted_at IS NULL ORDER BY md5(id::text || 'list') LIMIT 3000`,
    );
    const sums = { keys: 0, entries: 0, requests: 0, refused: 0, refusedByAnother: 0 };
    for (const { id } of sample) {
      const key = { kind: 'key', id };
      const judge = async (text) => (await dryRuns.run(key, dryRuns.read({ text }), DAYS)).refusing;
      const { entries, requests, covered } = await dryRuns.suggest(key, DAYS);
      if (entries.length === 0) continue;
      assert.equal(covered, requests);
      const suggested = await judge(entries.map(({ cidr }) => cidr).join('\n'));
      sums.keys += 1;
      sums.entries += entries.length;
      sums.requests += suggested.requests;
      sums.refused += suggested.refused;
      sums.refusedByAnother += (await judge('192.0.2.1')).refused;
    }
    console.log('Allow-lists suggested, and tried:', sums);
    assert.equal(sums.refused, 0);
    assert.equal(sums.refusedByAnother, sums.requests);
  }

  /** What the pages request, through an api of its own: the cards, the accounts, and the list behind each card. */
  async function measurePages(kinds) {
    const application = server.applicationUrl('key_safety');
    const api = await startApi(application, {}, { alone: false });
    try {
      const request = await signInAdmin(application, api.baseUrl);
      const pages = [
        ['page: the cards', '/admin/key-safety'],
        ['page: accounts by score', '/admin/key-safety/accounts'],
        ...accounts.slice(0, 1).map(({ id }) => ['page: one account', `/admin/accounts/${id}/key-safety`]),
        ...kinds.map((kind) => [`page: keys with ${kind}`, `/admin/api-keys?finding=${kind}`]),
      ];
      for (const [what, path] of pages) {
        const times = await repeat(30, () => request('GET', path));
        report(what, times);
        assert.ok(times.toSorted((a, b) => a - b)[28] <= PAGE_MS, `${what} took longer than ${PAGE_MS} ms`);
      }
    } finally {
      await api.stop();
    }
  }

  async function count(what, table) {
    const { rows } = await owner.query(`SELECT count(*)::int AS rows FROM ${table}`);
    console.log(`${what.padEnd(36)} ${rows[0].rows.toLocaleString('en-US')}`);
  }
  await owner.end();
} finally {
  await server.stop();
}

async function measure(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function time(what, work) {
  console.log(`${what.padEnd(36)} ${((await measure(work)) / 1_000).toFixed(1)} s`);
}

async function repeat(times, work) {
  const measured = [];
  for (let turn = 0; turn < times; turn += 1) measured.push(await measure(() => work(turn)));
  return measured;
}

function report(what, times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  console.log(`${what.padEnd(36)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`);
}
