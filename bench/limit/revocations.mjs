import pg from 'pg';
import { percentile } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { disableAll, underLoad } from '../lib/revoking.mjs';
import { signInAdmin } from '../lib/staff.mjs';
import { row } from './row.mjs';

const PROCESSES = 4;
/** Disabled before anything is measured: the first requests of a process compile its code. */
const WARM_UP_KEYS = 30;
const LOADED_KEYS = 100;
const AIM = 1.3;

/** Disabling a key until four processes refuse it, beside the commit of one small UPDATE: a pair for each key, in turn. */
export async function measureRevocations({ postgres, running, slices: { rounds }, quick }) {
  const each = quick ? 10 : 40;
  const bench = await prepareGreenroom(postgres, 'limit_revocations', {
    keys: LOADED_KEYS + WARM_UP_KEYS + rounds * each * 2,
  });
  for (let i = 0; i < PROCESSES; i += 1) running.push(await startApi(bench.url, {}, { alone: false }));
  const apis = running.slice(-PROCESSES);
  const staff = await signInAdmin(bench.url, apis[0].baseUrl);
  const commit = await bareCommit(postgres);
  const targets = bench.keys.slice(LOADED_KEYS);
  const disablePairs = async (count) => {
    const commits = [];
    const timedCommit = async () => commits.push(await commit.ms());
    return { results: await disableAll(apis, staff, targets.splice(0, count), timedCommit), commits };
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

/** One row updated and committed on one connection: what any durable change waits for. */
async function bareCommit(postgres) {
  const client = new pg.Client({ connectionString: await postgres.createDatabase('limit_commit') });
  await client.connect();
  await client.query('CREATE TABLE bare (id int PRIMARY KEY, n int); INSERT INTO bare VALUES (1, 0)');
  await requireDurable(client);
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

/** A reading is the 99th percentile of one round. */
function rowsOf(name, measured, each) {
  const p99s = (values) => measured.map((round) => percentile(values(round), 0.99));
  const commits = p99s(({ commits }) => commits);
  const seen = p99s(({ results }) => results.map(({ seenMs }) => seenMs));
  const committed = p99s(({ results }) => results.map(({ committedMs }) => committedMs));
  const p50 = (values) => percentile(measured.flatMap(values), 0.5);
  const ratioP50 = p50(({ results }) => results.map(({ seenMs }) => seenMs)) / p50(({ commits }) => commits);
  return [
    row(`revocation, ${name}: seen everywhere, p99 of ${each}, ms`, seen),
    row('  committed, p99, ms', committed),
    row('  bare commit, p99, ms', commits),
    row(
      '  seen everywhere, of a bare commit, p99',
      seen.map((ms, round) => ms / commits[round]),
      {
        atMost: AIM,
      },
    ),
    row('  the same at the median of all', [ratioP50]),
  ];
}
