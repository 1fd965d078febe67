import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compare } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { loadFor } from '../lib/load.mjs';
import { postgresCpuUs, Subject } from '../lib/process.mjs';
import { startRedis } from '../lib/redis.mjs';
import { models, startVerifying } from '../lib/verifying.mjs';

const subject = (name) => fileURLToPath(new URL(`../subjects/${name}`, import.meta.url));
const KEYS = 1_000;
const PROCESSES = 4;

/** What it costs to know who calls: ours beside a bare route and beside others that check keys. */
export async function run({ quick, note }) {
  const postgres = await startPostgres();
  const running = [];
  const start = async (...args) => {
    const started = await Subject.start(...args);
    running.push(started);
    return started;
  };
  try {
    const bench = await prepareGreenroom(postgres, 'auth', { keys: KEYS });
    const entries = await startVerifying({ postgres, bench, running });
    const [, { subject: ours, requests: withKeys }] = entries;
    entries.push({ name: 'Greenroom GET /v1/models, one key', subject: ours, requests: [withKeys[0]] });
    if (!existsSync(subject('../node_modules'))) {
      note(
        'The peers are not installed (npm ci --prefix bench --legacy-peer-deps): their rows are left out.',
      );
    } else {
      entries.push({
        name: 'bare Fastify route',
        subject: await start(subject('bare-fastify.mjs')),
        requests: [models()],
      });
      entries.push(...(await peers({ postgres, start, note })));
    }
    const rows = await compare(entries, quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 2 });
    for (const process of running.splice(0)) await process.stop();
    const share = await postgresShare({
      postgres,
      url: bench.url,
      requests: withKeys,
      seconds: quick ? 5 : 120,
    });
    return {
      title: `Knowing who calls (${KEYS} keys, lists of 50 blocks, 32 connections)`,
      rows,
      remarks: [share],
    };
  } finally {
    for (const process of running) await process.stop();
    await postgres.stop();
  }
}

/** What PostgreSQL works for a verified request, when several processes have the same keys in use. */
async function postgresShare({ postgres, url, requests, seconds }) {
  const apis = [];
  try {
    for (let i = 0; i < PROCESSES; i += 1)
      apis.push(await startApi(url, { TEXT_TO_SPEECH: 'off' }, { alone: false }));
    const loadAll = async (secs) => {
      const results = await Promise.all(
        apis.map((api) => loadFor(api.baseUrl, requests, { connections: 8, seconds: secs })),
      );
      return results.reduce((sum, result) => sum + result.requests, 0);
    };
    // Until every process has read every key.
    await loadAll(16);
    const before = postgresCpuUs(postgres.pid);
    const done = await loadAll(seconds);
    const us = (postgresCpuUs(postgres.pid) - before) / done;
    return `${PROCESSES} processes with ${requests.length} keys each for ${seconds} s: ${done} requests, ${us.toFixed(2)} µs of PostgreSQL's CPU a request.`;
  } finally {
    for (const api of apis) await api.stop();
  }
}

async function peers({ postgres, start, note }) {
  const keysOf = async (peer) => (await fetch(`${peer.baseUrl}/keys`)).json();
  const found = [];
  const bearer = await start(subject('bearer-auth.mjs'), [String(KEYS)]);
  const bearerRequests = (await keysOf(bearer)).map((key) => models({ authorization: `Bearer ${key}` }));
  found.push({ name: '@fastify/bearer-auth', subject: bearer, requests: bearerRequests });

  const url = await postgres.createDatabase('better_auth');
  const better = await start(subject('better-auth.mjs'), ['postgres', url, '-', String(KEYS), '0']);
  const betterRequests = (await keysOf(better)).map((key) => models({ 'x-api-key': key }));
  found.push({
    name: 'better-auth on Postgres',
    subject: better,
    requests: betterRequests,
    postgresPid: postgres.pid,
  });

  const redis = await startRedis();
  if (!redis) {
    note('redis-server is not on the PATH: the peers that keep keys in Redis are left out.');
    return found;
  }
  const redisUrl = await postgres.createDatabase('better_auth_redis');
  const onRedis = await start(subject('better-auth.mjs'), ['redis', redisUrl, redis.url, String(KEYS), '0']);
  const redisRequests = (await keysOf(onRedis)).map((key) => models({ 'x-api-key': key }));
  found.push({ name: 'better-auth on Redis', subject: onRedis, requests: redisRequests });

  const gateway = await start(subject('express-gateway.cjs'), [String(redis.port), String(KEYS)]);
  const file = /keys (\S+)/.exec(gateway.log)[1];
  const gatewayRequests = JSON.parse(readFileSync(file, 'utf8')).map((key) =>
    models({ authorization: `apiKey ${key}` }),
  );
  found.push({ name: 'express-gateway key-auth', subject: gateway, requests: gatewayRequests });
  return found;
}
