import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../lib/free-port.mjs';
import { cpuUsOf } from '../lib/process.mjs';

const PATH = `${process.env.PATH}:/usr/sbin`;

export const hasHaproxy = () => spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;

/**
 * HAProxy that looks up the SHA-256 of a key in a map and sends a body of its own: the least that verifies a key.
 *
 * @returns {baseUrl, cpuUs, stop}, as a Subject
 */
export async function startHaproxy(secrets, body) {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-haproxy-'));
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const digest = (secret) => createHash('sha256').update(secret).digest('hex').toUpperCase();
  const keys = file('keys.map', secrets.map((secret, n) => `${digest(secret)} ${n}\n`).join(''));
  const port = await freePort();
  const config = file(
    'haproxy.cfg',
    `global
  nbthread 1
  tune.bufsize 65536
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend keys
  bind 127.0.0.1:${port}
  http-request set-var(txn.key) req.hdr(xi-api-key),sha2(256),hex,map(${keys})
  http-request return status 200 content-type application/json file ${file('models.json', body)} if { var(txn.key) -m found }
  http-request return status 401
`,
  );
  const child = spawn('haproxy', ['-db', '-f', config], { env: { PATH }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  const ask = async (secret) => {
    const response = await fetch(baseUrl, { headers: { 'xi-api-key': secret } }).catch(() => null);
    return response?.status;
  };
  for (let waited = 0; (await ask(secrets[0])) !== 200; waited += 100) {
    if (waited > 10_000 || child.exitCode !== null) throw new Error('HAProxy did not start');
    await sleep(100);
  }
  if ((await ask('unknown')) !== 401) throw new Error('HAProxy lets an unknown key in');
  return {
    baseUrl,
    cpuUs: () => cpuUsOf(child.pid),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
