import { percentile } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { requireLoad } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { disableAll, underLoad } from '../lib/revoking.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const PROCESSES = 4;
/** Disabled before anything is measured: the first requests of a process compile its code. */
const WARM_UP_KEYS = 30;
const LOADED_KEYS = 100;

/** How long a disabled key is still let in by the slowest of four processes. */
export async function run({ quick }) {
  requireLoad();
  const rounds = quick ? 20 : 200;
  const postgres = await startPostgres();
  const apis = [];
  try {
    const bench = await prepareGreenroom(postgres, 'revocation', {
      keys: LOADED_KEYS + WARM_UP_KEYS + rounds * 2,
    });
    for (let i = 0; i < PROCESSES; i += 1) apis.push(await startApi(bench.url, {}, { alone: false }));
    const staff = await signInAdmin(bench.url, apis[0].baseUrl);
    const targets = bench.keys.slice(LOADED_KEYS);
    await disableAll(apis, staff, targets.splice(0, WARM_UP_KEYS));
    const idle = await disableAll(apis, staff, targets.slice(0, rounds));
    const loaded = await underLoad(apis, bench.keys.slice(0, LOADED_KEYS), () =>
      disableAll(apis, staff, targets.slice(rounds)),
    );
    return {
      title: `Disabling a key, ${PROCESSES} api processes, ${rounds} keys each`,
      rows: [row('idle', idle), row('under load', loaded)],
      remarks: [
        'committed: from sending the request to its response, without the receipt. receipt: from the commit to the last process that acknowledged. seen: from sending the request to disable until the slowest process refuses.',
      ],
    };
  } finally {
    for (const api of apis) await api.stop();
    await postgres.stop();
  }
}

function row(name, results) {
  const ms = results.map((result) => result.ms);
  const committed = results.map((result) => result.committedMs);
  const seen = results.map((result) => result.seenMs);
  return {
    name,
    committedP50Ms: percentile(committed, 0.5),
    committedP99Ms: percentile(committed, 0.99),
    receiptP50Ms: percentile(ms, 0.5),
    receiptP99Ms: percentile(ms, 0.99),
    receiptMaxMs: Math.max(...ms),
    seenP50Ms: percentile(seen, 0.5),
    seenP99Ms: percentile(seen, 0.99),
    acknowledgedByAll: results.filter(({ processes, acknowledged }) => processes === acknowledged).length,
    keys: results.length,
  };
}
