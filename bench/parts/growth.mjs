import { median } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { loadFor } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { postgresCpuUs } from '../lib/process.mjs';
import { runScript } from '../lib/script.mjs';

const IN_TURN = 100;
/** More than an api has to serve in the second in which it is measured. */
const NEVER_SEEN = 8_000;
const ACCOUNTS = 1_000;

/** What a request costs as the table of keys grows: the same hundred keys in turn, and keys that the api has never seen. */
export async function run({ quick }) {
  const postgres = await startPostgres();
  const apis = [];
  try {
    for (const size of quick ? [100, 20_000] : [100, 10_000, 1_000_000])
      apis.push({ size, ...(await prepare(postgres, size, quick ? 2_000 : NEVER_SEEN)) });
    const rows = [];
    for (const { size, bench } of apis) rows.push(await firstTime(postgres, size, bench));
    const slices = new Map(apis.map(({ size }) => [size, []]));
    // In turn, so that a busy stretch of the machine hits every size.
    for (let round = 0; round < (quick ? 2 : 6); round += 1)
      for (const { size, api, bench } of apis)
        slices.get(size).push(await slice(postgres, api, bench.keys.slice(0, IN_TURN), 2));
    const few = median(slices.get(apis[0].size).map(({ cpuUs }) => cpuUs));
    for (const row of rows) {
      row.cpuUs = median(slices.get(row.keys).map(({ cpuUs }) => cpuUs));
      row.ofFewest = row.cpuUs / few;
    }
    return {
      title: `Growth of the table of keys: ${IN_TURN} keys in turn, and keys seen for the first time`,
      rows,
    };
  } finally {
    for (const { api } of apis) await api.stop();
    await postgres.stop();
  }
}

async function prepare(postgres, size, neverSeen) {
  const known = Math.min(size, neverSeen);
  const fill =
    size > known
      ? (url) => runScript('seed-keys/seed-keys.mjs', [url, `${size - known}`, `${ACCOUNTS}`])
      : undefined;
  const bench = await prepareGreenroom(postgres, `growth_${size}`, { keys: known, fill });
  return { bench, api: await startApi(bench.url) };
}

/** A process that has just started, and each key once; nothing where there are too few keys for that. */
async function firstTime(postgres, size, bench) {
  const row = {
    keys: size,
    cpuUs: 0,
    ofFewest: 0,
    firstCpuUs: null,
    firstPostgresUs: null,
    firstP50Ms: null,
  };
  if (bench.keys.length < 1_000) return row;
  const fresh = await startApi(bench.url);
  try {
    const { cpuUs, postgresUs, p50Ms } = await slice(postgres, fresh, bench.keys, 1);
    return { ...row, firstCpuUs: cpuUs, firstPostgresUs: postgresUs, firstP50Ms: p50Ms };
  } finally {
    await fresh.stop();
  }
}

async function slice(postgres, api, keys, seconds) {
  const requests = keys.map(({ secret }) => ({ path: '/v1/models', headers: { 'xi-api-key': secret } }));
  const before = [api.cpuUs(), postgresCpuUs(postgres.pid)];
  const { requests: answered, p50Ms } = await loadFor(api.baseUrl, requests, { seconds });
  return {
    cpuUs: (api.cpuUs() - before[0]) / answered,
    postgresUs: (postgresCpuUs(postgres.pid) - before[1]) / answered,
    p50Ms,
  };
}
