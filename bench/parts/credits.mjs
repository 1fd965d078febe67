import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compare } from '../lib/compare.mjs';
import { EXACTNESS_CREDITS, spendAll, verdict } from '../lib/exactness.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { introspection, JSON_TYPE, serviceHeaders } from '../lib/introspection.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { Subject } from '../lib/process.mjs';
import { startRedis } from '../lib/redis.mjs';

const subject = (name) => fileURLToPath(new URL(`../subjects/${name}`, import.meta.url));
const KEYS = 1_000;
const PLENTY = 2 ** 40;

/** What exact, durable credits cost: ours beside the usual ways to count, each with what it lets through. */
export async function run({ quick, note }) {
  const postgres = await startPostgres();
  const running = [];
  const start = async (...args) => {
    const started = await Subject.start(...args);
    running.push(started);
    return started;
  };
  try {
    const context = { postgres, start, running, note, redis: await startRedis() };
    if (!context.redis) note('redis-server is not on the PATH: what counts in Redis is left out.');
    const hasPeers = existsSync(subject('../node_modules'));
    if (!hasPeers)
      note(
        'The peers are not installed (npm ci --prefix bench --legacy-peer-deps): their rows are left out.',
      );
    const ours = await ourEntries(context);
    const others = hasPeers ? await otherEntries(context) : [];
    const exact = { ...(await ourExactness(context)), ...(hasPeers ? await otherExactness(context) : {}) };
    const slices = quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 2 };
    const rows = [];
    for (const connections of [32, 256]) {
      const measured = await compare([...ours, ...others], { ...slices, connections });
      rows.push(...measured.map((row) => ({ connections, ...row, exactness: exact[row.name] ?? null })));
    }
    return {
      title: `Credits, one per request (${KEYS} keys or one). Exactness: one key's credits spent through two processes, one of them killed on the way`,
      rows,
    };
  } finally {
    for (const process of running) await process.stop();
    await postgres.stop();
  }
}

const NAMES = {
  spread: 'Greenroom /introspect, 1,000 keys',
  hot: 'Greenroom /introspect, one key',
  update: 'UPDATE and INSERT per request',
  lua: 'Redis Lua counter (not durable)',
  betterPostgres: 'better-auth credits on Postgres',
  betterRedis: 'better-auth credits on Redis',
};

async function ourEntries({ postgres, start, running }) {
  const bench = await prepareGreenroom(postgres, 'credits', { keys: KEYS, creditLimit: PLENTY });
  const api = await startApi(bench.url);
  running.push(api);
  const headers = await serviceHeaders(bench.url, api.baseUrl);
  const requests = bench.keys.map(({ secret }) => introspection(headers, secret));
  const bare = { ...requests[0], headers: JSON_TYPE };
  return [
    { name: 'bare Nest route', subject: await start(subject('bare-nest.cjs')), requests: [bare] },
    { name: NAMES.spread, subject: api, requests, postgresPid: postgres.pid },
    { name: NAMES.hot, subject: api, requests: [requests[0]], postgresPid: postgres.pid },
  ];
}

async function otherEntries({ postgres, start, redis }) {
  const count = [String(KEYS), String(PLENTY)];
  const spread = Array.from({ length: KEYS }, (_, key) => spending(key));
  const url = await postgres.createDatabase('sketch');
  const update = await start(subject('credit-sketches.mjs'), ['update', url, ...count]);
  const entries = [{ name: NAMES.update, subject: update, requests: spread, postgresPid: postgres.pid }];
  const betterUrl = await postgres.createDatabase('better_credits');
  const better = await start(subject('better-auth.mjs'), [
    'postgres',
    betterUrl,
    '-',
    String(KEYS),
    '1000000000',
  ]);
  entries.push({
    name: NAMES.betterPostgres,
    subject: better,
    requests: await betterRequests(better),
    postgresPid: postgres.pid,
  });
  if (!redis) return entries;
  const lua = await start(subject('credit-sketches.mjs'), ['lua', redis.url, ...count]);
  entries.push({ name: NAMES.lua, subject: lua, requests: spread });
  const onRedisUrl = await postgres.createDatabase('better_redis_credits');
  const args = ['redis', onRedisUrl, redis.url, String(KEYS), '1000000000'];
  const onRedis = await start(subject('better-auth.mjs'), args);
  entries.push({ name: NAMES.betterRedis, subject: onRedis, requests: await betterRequests(onRedis) });
  return entries;
}

const spending = (key) => ({
  method: 'POST',
  path: '/spend',
  headers: JSON_TYPE,
  body: JSON.stringify({ key }),
});

async function betterRequests(peer) {
  const secrets = await (await fetch(`${peer.baseUrl}/keys`)).json();
  return secrets.map((key) => ({ path: '/v1/models', headers: { 'x-api-key': key } }));
}

async function ourExactness({ postgres, running }) {
  const bench = await prepareGreenroom(postgres, 'exact', { keys: 1, creditLimit: EXACTNESS_CREDITS });
  const apis = [];
  for (let i = 0; i < 2; i += 1) apis.push(await startApi(bench.url, {}, { alone: false }));
  running.push(...apis);
  const { method, path, headers, body } = introspection(
    await serviceHeaders(bench.url, apis[1].baseUrl),
    bench.keys[0].secret,
  );
  const spend = async (baseUrl) => {
    const answer = await fetch(baseUrl + path, { method, headers, body });
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    return (await answer.json()).active;
  };
  const outcome = verdict(await spendAll(apis, spend));
  return { [NAMES.spread]: outcome, [NAMES.hot]: outcome };
}

async function otherExactness({ postgres, start, redis }) {
  const exact = {};
  const one = ['1', String(EXACTNESS_CREDITS)];
  const pair = async (...args) => [await start(...args), await start(...args)];
  const { path, ...request } = spending(0);
  const sketch = async (baseUrl) => (await fetch(baseUrl + path, request)).status === 200;
  const url = await postgres.createDatabase('sketch_exact');
  const updates = await pair(subject('credit-sketches.mjs'), ['update', url, ...one], {}, { alone: false });
  exact[NAMES.update] = verdict(await spendAll(updates, sketch));
  exact[NAMES.betterPostgres] = await betterExactness('postgres', { postgres, start, redis });
  if (!redis) return exact;
  const luas = await pair(
    subject('credit-sketches.mjs'),
    ['lua', `${redis.url}/1`, ...one],
    {},
    { alone: false },
  );
  exact[NAMES.lua] = verdict(await spendAll(luas, sketch));
  exact[NAMES.betterRedis] = await betterExactness('redis', { postgres, start, redis });
  return exact;
}

/** Both processes know the key that the first one has created. */
async function betterExactness(storage, { postgres, start, redis }) {
  const url = await postgres.createDatabase(`better_${storage}_exact`);
  const redisUrl = redis ? `${redis.url}/2` : '-';
  const first = await start(
    subject('better-auth.mjs'),
    [storage, url, redisUrl, '1', String(EXACTNESS_CREDITS)],
    {},
    { alone: false },
  );
  const second = await start(
    subject('better-auth.mjs'),
    [storage, url, redisUrl, '0', '0'],
    {},
    { alone: false },
  );
  const [key] = await (await fetch(`${first.baseUrl}/keys`)).json();
  const spend = async (baseUrl) =>
    (await fetch(`${baseUrl}/v1/models`, { headers: { 'x-api-key': key } })).status === 200;
  return verdict(await spendAll([first, second], spend));
}
