import { readdirSync } from 'node:fs';
import { median } from '../lib/compare.mjs';
import { prepareGreenroom, startApi, startWorker } from '../lib/greenroom.mjs';
import { loadFor } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';

/** What api and worker hold: at rest, after much traffic, and with many keys seen. */
export async function run({ quick, note }) {
  const minutes = quick ? 0.5 : 5;
  const postgres = await startPostgres();
  const bench = await prepareGreenroom(postgres, 'memory', { keys: quick ? 1_000 : 20_000 });
  const [api, worker] = [await startApi(bench.url), await startWorker(bench.url)];
  try {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const rows = [snapshot('at rest', api, worker, 0)];
    const request = ({ secret }) => ({ path: '/v1/models', headers: { 'xi-api-key': secret } });
    const few = bench.keys.slice(0, 1_000).map(request);
    const all = bench.keys.map(request);
    let requests = 0;
    const costs = { few: [], all: [] };
    for (let round = 0; round < Math.ceil((minutes * 60) / 20); round += 1) {
      for (const [name, list] of [
        ['few', few],
        ['all', all],
      ]) {
        const before = api.cpuUs();
        const result = await loadFor(api.baseUrl, list, { seconds: quick ? 4 : 10 });
        requests += result.requests;
        costs[name].push((api.cpuUs() - before) / result.requests);
      }
      rows.push(snapshot(`after ${requests.toLocaleString('en')} requests`, api, worker, requests));
    }
    const [cold, warm] = [median(costs.few), median(costs.all)];
    return {
      title: `Memory and handles over ${minutes} minutes, ${bench.keys.length} keys seen`,
      rows: [
        rows[0],
        ...rows.slice(1).filter((_, i, list) => i % Math.ceil(list.length / 5) === 0),
        rows.at(-1),
      ],
      remarks: [
        `CPU per request: ${cold.toFixed(1)} µs with 1,000 keys in turn, ${warm.toFixed(1)} µs with ${bench.keys.length} (${(warm / cold).toFixed(2)}).`,
      ],
    };
  } catch (error) {
    note(`memory: ${error.message}`);
    throw error;
  } finally {
    await api.stop();
    await worker.stop();
    await postgres.stop();
  }
}

function snapshot(name, api, worker, requests) {
  return {
    name,
    requests,
    apiMb: api.rssMb(),
    apiHandles: handles(api),
    workerMb: worker.rssMb(),
    workerHandles: handles(worker),
  };
}

function handles({ child }) {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}
