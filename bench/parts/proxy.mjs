import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../lib/compare.mjs';
import { freePort } from '../lib/free-port.mjs';
import { loadFor } from '../lib/load.mjs';
import { cpuUsOf, Subject } from '../lib/process.mjs';

const BARE = fileURLToPath(new URL('../subjects/bare-fastify.mjs', import.meta.url));
const CELLS = fileURLToPath(new URL('../../deploy/cells/', import.meta.url));
const PATH = `${process.env.PATH}:/usr/sbin`;
const MOVED = 100_000;

/** What the proxy in front of cells costs a request, by what it is routed by. Behind it is a bare route. */
export async function run({ quick }) {
  if (spawnSync('haproxy', ['-v'], { env: { PATH } }).status !== 0)
    throw new Error('haproxy is not on the PATH (Debian: apt-get install haproxy)');
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-proxy-'));
  const cell = await Subject.start(BARE);
  try {
    cpSync(CELLS, folder, { recursive: true });
    const moved = Array.from({ length: MOVED }, () => `grk_${randomBytes(20).toString('hex')}`);
    appendFileSync(join(folder, 'moved.map'), moved.map((key) => `${digestOf(key)} cell_01\n`).join(''));
    const rows = await behind(folder, [cell, cell], (proxy) => measure(proxy, cell, moved, quick));
    return { title: TITLE, rows, remarks: [await whenOneDies(folder, cell, quick)] };
  } finally {
    await cell.stop();
    rmSync(folder, { recursive: true });
  }
}

const TITLE = `A proxy in front of cells (HAProxy, deploy/cells, ${MOVED} moved keys, 32 connections)`;

const digestOf = (key) => createHash('sha256').update(key).digest('hex').toUpperCase();

/** Works with a proxy in front of two cells. */
async function behind(maps, [first, second], run) {
  const address = `127.0.0.1:${await freePort()}`;
  const [CELL_00, CELL_01] = [first, second].map(({ baseUrl }) => new URL(baseUrl).host);
  const env = { PATH, LISTEN: address, MAPS: maps, CELL_00, CELL_01 };
  const child = spawn('haproxy', ['-db', '-f', join(maps, 'haproxy.cfg')], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const url = `http://${address}`;
    await whenReady(url, child);
    return await run({ child, url });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function whenReady(url, child) {
  for (let waited = 0; ; waited += 100) {
    const response = await fetch(`${url}/v1/models`).catch(() => null);
    if (response?.ok) return;
    if (waited > 20_000 || child.exitCode !== null) throw new Error('the proxy did not start');
    await sleep(100);
  }
}

/** The first cell's times while the second serves, too, and after that was killed and its callers get 503. */
async function whenOneDies(folder, cell, quick) {
  const second = await Subject.start(BARE, [], {}, { alone: false });
  return behind(folder, [cell, second], async ({ url }) => {
    const of = (key) => [{ path: '/v1/models', headers: { 'xi-api-key': key } }];
    const options = { connections: 16, seconds: quick ? 1 : 10 };
    const load = async () => {
      const keys = ['grk_of_the_first', 'gck_01_of_the_second'];
      const [first, other] = await Promise.all(keys.map((key) => loadFor(url, of(key), options)));
      return `p50 ${first.p50Ms} ms, p99 ${first.p99Ms} ms, ${first.errors} of ${first.requests} failed (${other.errors} of ${other.requests} of the second)`;
    };
    const before = await load();
    await second.stop('SIGKILL');
    return `The first cell while the second serves: ${before}; after that was killed: ${await load()}.`;
  });
}

async function measure({ child, url }, cell, moved, quick) {
  const get = (key) => ({ path: '/v1/models', headers: { 'xi-api-key': key } });
  const ofCell01 = `gck_01${randomBytes(20).toString('hex')}`;
  const introspection = {
    method: 'POST',
    path: '/introspect',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: ofCell01, cost: 1 }),
  };
  const entries = [
    { name: 'no proxy', url: cell.baseUrl, requests: [get(ofCell01)] },
    { name: 'a key, by its cell', url, requests: [get(ofCell01)] },
    { name: 'keys that have moved', url, requests: moved.slice(0, 1_000).map(get) },
    { name: 'a token in the body', url, requests: [introspection] },
  ];
  const slices = new Map(entries.map(({ name }) => [name, []]));
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    for (const entry of entries) {
      const before = cpuUsOf(child.pid);
      const load = await loadFor(entry.url, entry.requests, { seconds: quick ? 1 : 3 });
      slices.get(entry.name).push({
        ...load,
        cpuUs: (cpuUsOf(child.pid) - before) / load.requests,
        perSec: load.requests / load.seconds,
      });
    }
  }
  return entries.map(({ name }) => {
    const of = (field) => slices.get(name).map((slice) => slice[field]);
    return {
      name,
      proxyCpuUs: median(of('cpuUs')),
      low: Math.min(...of('cpuUs')),
      high: Math.max(...of('cpuUs')),
      perSec: Math.round(median(of('perSec'))),
      p50Ms: median(of('p50Ms')),
      errors: of('errors').reduce((sum, each) => sum + each, 0),
    };
  });
}
