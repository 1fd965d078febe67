import { median } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { introspection, serviceHeaders } from '../lib/introspection.mjs';
import { loadFor, requireLoad } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { cpuUsOfTree, postgresCpuUs } from '../lib/process.mjs';

const KEYS = 1_000;
const PROCESSES = [1, 4];
const PLENTY = 2 ** 40;

/** What several processes of one api carry, on one port with one command, and what PostgreSQL takes of the machine meanwhile. */
export async function run({ quick }) {
  requireLoad();
  const rounds = quick ? 1 : 5;
  const postgres = await startPostgres();
  const apis = [];
  try {
    const bench = await prepareGreenroom(postgres, 'processes', { keys: KEYS, creditLimit: PLENTY });
    for (const processes of PROCESSES) {
      const env = { API_PROCESSES: String(processes) };
      apis.push({ processes, api: await startApi(bench.url, env, { alone: false }) });
    }
    const headers = await serviceHeaders(bench.url, apis[0].api.baseUrl);
    const loads = {
      'GET /v1/models': ({ secret }) => ({ path: '/v1/models', headers: { 'xi-api-key': secret } }),
      'POST /introspect with a cost': ({ secret }) => introspection(headers, secret),
    };
    const rows = [];
    for (const [name, request] of Object.entries(loads)) {
      const requests = bench.keys.map(request);
      const slices = new Map(PROCESSES.map((processes) => [processes, []]));
      // Until each process has read its keys; then in turn, so that a busy stretch of the machine hits both.
      for (const { processes, api } of apis)
        await loadFor(api.baseUrl, requests, { connections: 64, seconds: 4 * processes });
      for (let round = 0; round < rounds; round += 1)
        for (const { processes, api } of apis)
          slices.get(processes).push(await slice(api, requests, postgres));
      rows.push(...PROCESSES.map((processes) => row(name, processes, slices)));
    }
    return {
      title: `One api in several processes, ${KEYS} keys, 64 connections`,
      rows,
      remarks: [
        'ratio: to one process, within a round. apiCores and postgresCores: processors that they kept busy; the load has the rest.',
      ],
    };
  } finally {
    for (const { api } of apis) await api.stop();
    await postgres.stop();
  }
}

async function slice(api, requests, postgres) {
  const startedAtMs = performance.now();
  const before = [cpuUsOfTree(api.child.pid), postgresCpuUs(postgres.pid)];
  const result = await loadFor(api.baseUrl, requests, { connections: 64, seconds: 2 });
  const after = [cpuUsOfTree(api.child.pid), postgresCpuUs(postgres.pid)];
  const tookUs = (performance.now() - startedAtMs) * 1_000;
  return {
    perSec: result.requests / result.seconds,
    apiCores: (after[0] - before[0]) / tookUs,
    postgresCores: (after[1] - before[1]) / tookUs,
    apiUs: (after[0] - before[0]) / result.requests,
    postgresUs: (after[1] - before[1]) / result.requests,
    errors: result.errors,
  };
}

function row(name, processes, slices) {
  const own = slices.get(processes);
  const one = slices.get(PROCESSES[0]);
  const middle = (value) => median(own.map(value));
  const ratios = own.map(({ perSec }, round) => perSec / one[round].perSec);
  return {
    name,
    processes,
    ratio: median(ratios),
    ratioLow: Math.min(...ratios),
    ratioHigh: Math.max(...ratios),
    perSec: Math.round(middle(({ perSec }) => perSec)),
    apiUs: middle(({ apiUs }) => apiUs),
    postgresUs: middle(({ postgresUs }) => postgresUs),
    apiCores: middle(({ apiCores }) => apiCores),
    postgresCores: middle(({ postgresCores }) => postgresCores),
    errors: own.reduce((sum, { errors }) => sum + errors, 0),
  };
}
