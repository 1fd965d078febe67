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

const CELLS = fileURLToPath(new URL('../../deploy/cells/', import.meta.url));
const PATH = `${process.env.PATH}:/usr/sbin`;
const MOVED = 100_000;

/** What the proxy in front of cells costs a request, by what it is routed by. Behind it is a bare route. */
export async function run({ quick }) {
  if (spawnSync('haproxy', ['-v'], { env: { PATH } }).status !== 0)
    throw new Error('haproxy is not on the PATH (Debian: apt-get install haproxy)');
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-proxy-'));
  const cell = await Subject.start(fileURLToPath(new URL('../subjects/bare-fastify.mjs', import.meta.url)));
  try {
    cpSync(CELLS, folder, { recursive: true });
    const moved = Array.from({ length: MOVED }, () => `grk_${randomBytes(20).toString('hex')}`);
    appendFileSync(join(folder, 'moved.map'), moved.map((key) => `${digestOf(key)} cell_01\n`).join(''));
    const proxy = await startProxy(folder, new URL(cell.baseUrl).host);
    try {
      return { title: TITLE, rows: await measure(proxy, cell, moved, quick) };
    } finally {
      proxy.child.kill('SIGKILL');
      await once(proxy.child, 'exit');
    }
  } finally {
    await cell.stop();
    rmSync(folder, { recursive: true });
  }
}

const TITLE = `A proxy in front of cells (HAProxy, deploy/cells, ${MOVED} moved keys, 32 connections)`;

const digestOf = (key) => createHash('sha256').update(key).digest('hex').toUpperCase();

async function startProxy(maps, host) {
  const address = `127.0.0.1:${await freePort()}`;
  const env = { PATH, LISTEN: address, MAPS: maps, CELL_00: host, CELL_01: host };
  const child = spawn('haproxy', ['-db', '-f', join(maps, 'haproxy.cfg')], { env, stdio: 'ignore' });
  const url = `http://${address}`;
  for (let waited = 0; ; waited += 100) {
    const response = await fetch(`${url}/v1/models`).catch(() => null);
    if (response?.ok) return { child, url };
    if (waited > 20_000 || child.exitCode !== null) throw new Error('the proxy did not start');
    await sleep(100);
  }
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
