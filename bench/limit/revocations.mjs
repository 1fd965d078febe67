import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { percentile } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { disableAll, underLoad } from '../lib/revoking.mjs';
import { Subject } from '../lib/process.mjs';
import { signInAdmin } from '../lib/staff.mjs';
import { row } from './row.mjs';

const PROCESSES = 4;
/** Disabled before anything is measured: the first requests of a process compile its code. */
const WARM_UP_KEYS = 30;
const LOADED_KEYS = 100;
/** Committed, of a bare commit; seen, of the same by the least that revokes. */
const AIMS = { committed: 3, seen: 1.3 };
const BARE_REVOKER = fileURLToPath(new URL('../subjects/bare-revoker.cjs', import.meta.url));

/**
 * Disabling a key until four processes refuse it, beside the commit of one small UPDATE, and beside four processes that only revoke:
 * one of each in turn.
 */
export async function measureRevocations({ postgres, running, slices: { rounds }, quick }) {
  const each = quick ? 10 : 40;
  const bench = await prepareGreenroom(postgres, 'limit_revocations', {
    keys: LOADED_KEYS + WARM_UP_KEYS + rounds * each * 2,
  });
  for (let i = 0; i < PROCESSES; i += 1) running.push(await startApi(bench.url, {}, { alone: false }));
  const apis = running.slice(-PROCESSES);
  const staff = await signInAdmin(bench.url, apis[0].baseUrl);
  const bareUrl = await bareDatabase(postgres);
  const commit = await bareCommit(bareUrl);
  const bareApis = await Promise.all(
    apis.map(() => Subject.start(BARE_REVOKER, [], { DATABASE_URL: bareUrl }, { alone: false })),
  );
  running.push(...bareApis);
  let revoked = 0;
  const revokeBare = async () => {
    const secret = `bare ${(revoked += 1)}`;
    return disableAll(bareApis, async () => ({ body: await revokeOn(bareApis[0], secret) }), [{ secret }]);
  };
  const targets = bench.keys.slice(LOADED_KEYS);
  const disablePairs = async (count) => {
    const [commits, bare] = [[], []];
    const others = async () => {
      commits.push(await commit.ms());
      bare.push(...(await revokeBare()));
    };
    return { results: await disableAll(apis, staff, targets.splice(0, count), others), commits, bare };
  };
  const [idle, loaded] = [[], []];
  try {
    await disablePairs(WARM_UP_KEYS);
    for (let round = 0; round < rounds; round += 1) {
      idle.push(await disablePairs(each));
      loaded.push(await underLoad(apis, bench.keys.slice(0, LOADED_KEYS), () => disablePairs(each)));
    }
  } finally {
    await commit.close();
  }
  return [...rowsOf('idle', idle, each), ...rowsOf('under load', loaded, each)];
}

async function revokeOn({ baseUrl }, key) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${baseUrl}/revoke`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key }),
  });
  return response.json();
}

/** @returns its URL, for its owner */
async function bareDatabase(postgres) {
  const url = await postgres.createDatabase('limit_commit');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE bare (id int PRIMARY KEY, n int); INSERT INTO bare VALUES (1, 0)');
  await requireDurable(client);
  await client.end();
  return url;
}

/** One row updated and committed on one connection: what any durable change waits for. */
async function bareCommit(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const update = { name: 'update', text: 'UPDATE bare SET n = n + 1 WHERE id = 1' };
  return {
    async ms() {
      const startedAt = performance.now();
      await client.query(update);
      return performance.now() - startedAt;
    },
    close: () => client.end(),
  };
}

/** @throws when a commit does not wait for the disk */
async function requireDurable(client) {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const { rows } = await client.query(`SHOW ${setting}`);
    if (rows[0][setting] !== 'on') throw new Error(`${setting} is ${rows[0][setting]}`);
  }
}

/** A reading is the median of one round, or its 99th percentile. */
function rowsOf(name, measured, each) {
  const readings = (share) => {
    const of = (values) => measured.map((round) => percentile(values(round), share));
    return {
      commits: of(({ commits }) => commits),
      committed: of(({ results }) => results.map(({ committedMs }) => committedMs)),
      seen: of(({ results }) => results.map(({ seenMs }) => seenMs)),
      bare: of(({ bare }) => bare.map(({ seenMs }) => seenMs)),
    };
  };
  const ratios = (values, base) => values.map((ms, round) => ms / base[round]);
  return [
    [0.5, 'median'],
    [0.99, 'p99'],
  ].flatMap(([share, what]) => {
    const { commits, committed, seen, bare } = readings(share);
    return [
      row(`revocation, ${name}: seen everywhere, ${what} of ${each}, ms`, seen),
      row('  of the least that revokes', ratios(seen, bare), { atMost: AIMS.seen }),
      row('  committed, ms', committed),
      row('  committed, of a bare commit', ratios(committed, commits), { atMost: AIMS.committed }),
      row('  bare commit, ms', commits),
      row('  the least that revokes: seen everywhere, ms', bare),
    ];
  });
}
