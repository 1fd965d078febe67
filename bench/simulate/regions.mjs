// Regions that verify on their own, far from one primary: node bench/simulate/regions.mjs [--rounds 20] [--write]
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { percentile } from '../lib/compare.mjs';
import { freePort } from '../lib/free-port.mjs';
import { DistantNetwork } from '../lib/distant-network.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const ROUND_TRIPS_MS = [0, 40, 150];
/** Design: a process without a heartbeat reads each key again, and refuses when it cannot. */
const LEASE_MS = 2_500;
/** Beyond a round trip, until a revoked key is refused. */
const PROMISE_MS = 50;
const WARM_REQUESTS = 300;
/** Longer than a request with a key may wait for a database that does not respond. */
const GIVE_UP_MS = 30_000;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds ${values.rounds} is not accepted; give a whole number from 1.`);
  process.exit(2);
}

const rows = [];
const postgres = await startPostgres();
try {
  const bench = await prepareGreenroom(postgres, 'regions', { keys: rounds * ROUND_TRIPS_MS.length + 10 });
  const home = await startApi(bench.url, {}, { alone: false });
  try {
    const staff = await signInAdmin(bench.url, home.baseUrl);
    for (const roundTripMs of ROUND_TRIPS_MS) rows.push(await measureRegion(bench, staff, roundTripMs));
  } finally {
    await home.stop();
  }
} finally {
  await postgres.stop();
}
report(rows);
process.exit();

async function measureRegion(bench, staff, roundTripMs) {
  const network = await DistantNetwork.to(bench.url, roundTripMs / 2);
  const metricsPort = await freePort();
  const region = await startApi(network.url, { METRICS_PORT: String(metricsPort) }, { alone: false });
  try {
    const warmKey = bench.keys[0].secret;
    const cold = await timed(() => verify(region, warmKey, 200));
    const readsBefore = await keyReads(metricsPort);
    const warm = [];
    for (let n = 0; n < WARM_REQUESTS; n += 1) warm.push(await timed(() => verify(region, warmKey, 200)));
    const reads = (await keyReads(metricsPort)) - readsBefore;
    const revoked = [];
    for (const { keyId, secret } of bench.keys.splice(10, rounds)) {
      await verify(region, secret, 200);
      revoked.push(await untilRevoked(region, staff, keyId, secret));
    }
    const cut = await untilRefused(region, network, warmKey);
    return { roundTripMs, cold, warm, reads, revoked, cut };
  } finally {
    network.isCut = false;
    await region.stop('SIGKILL');
    network.stop();
  }
}

/** From the commit, as its response tells, until the region refuses. */
async function untilRevoked(region, staff, keyId, secret) {
  let committedAtMs = Infinity;
  const committed = staff('POST', `/admin/api-keys/${keyId}/disable`, {
    disable_reason: 'exposed_publicly',
    reason: 'Measurement',
  }).then(({ body }) => (committedAtMs = performance.now() - body.receipt.ms));
  let lastAllowedMs = performance.now();
  while ((await status(region, secret)) === 200) lastAllowedMs = performance.now();
  await committed;
  return Math.max(0, lastAllowedMs - committedAtMs);
}

/** From the moment at which nothing comes through any more. */
async function untilRefused(region, network, secret) {
  network.isCut = true;
  const cutAtMs = performance.now();
  let lastAllowedMs = cutAtMs;
  for (;;) {
    const sentAtMs = performance.now();
    const code = await status(region, secret);
    if (code === 200) lastAllowedMs = sentAtMs;
    else return { allowedForMs: lastAllowedMs - cutAtMs, code, refusedAfterMs: performance.now() - sentAtMs };
    if (performance.now() - cutAtMs > GIVE_UP_MS)
      throw new Error('A region that was cut off still admits a key.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function status({ baseUrl }, secret) {
  const response = await fetch(`${baseUrl}/v1/models`, {
    headers: { 'xi-api-key': secret },
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

async function verify(region, secret, expected) {
  const found = await status(region, secret);
  if (found !== expected) throw new Error(`The region responded ${found} instead of ${expected}.`);
}

async function timed(run) {
  const startedAtMs = performance.now();
  await run();
  return performance.now() - startedAtMs;
}

/** Credentials that the region has read from the primary so far. */
async function keyReads(metricsPort) {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^greenroom_key_cache_misses_total\{cache="keys"\} (\d+)/m.exec(text)[1]);
}

function report(regions) {
  const ms = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
  const secs = (value) => (value / 1_000).toFixed(1);
  const cells = regions.map(({ roundTripMs, cold, warm, reads, revoked, cut }) => [
    roundTripMs,
    ms(cold),
    `${ms(percentile(warm, 0.5))} / ${ms(percentile(warm, 0.99))}`,
    `${reads} of ${warm.length}`,
    `${ms(percentile(revoked, 0.5))} / ${ms(Math.max(...revoked))}`,
    roundTripMs + PROMISE_MS,
    secs(cut.allowedForMs),
    `${cut.code} after ${secs(cut.refusedAfterMs)} s`,
  ]);
  const head = [
    'Round trip, ms',
    'First request of a key, ms',
    'Further ones, p50 / p99, ms',
    'of them read from the primary',
    'Revoked key admitted after the commit, p50 / worst, ms',
    'Promised, ms',
    `Cut off: keys admitted for, s (at most ${LEASE_MS / 1_000})`,
    'then',
  ];
  const table = [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
  console.log(table);
  if (!values.write) return;
  const file = new URL('../../docs/scaling.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  const part = /(<!-- regions -->\n)[^]*?(<!-- end of regions -->)/;
  if (!part.test(page)) throw new Error('docs/scaling.md has no place for the table of regions.');
  writeFileSync(
    file,
    page.replace(part, (_, from, to) => `${from}\n${table}\n\n${to}`),
  );
}
