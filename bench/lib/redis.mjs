import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';

/** A Redis of our own that ends with this process, or null without redis-server. */
export async function startRedis() {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'greenroom-bench-redis-'));
  const args = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
  ];
  const child = spawn('redis-server', args.map(String), { stdio: ['ignore', 'pipe', 'ignore'] });
  const started = await new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.stdout.on('data', (text) => /Ready to accept connections/.test(text) && resolve(true));
  });
  if (!started) return null;
  process.on('exit', () => child.kill('SIGKILL'));
  child.unref();
  child.stdout.unref();
  return { port, url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill('SIGKILL') };
}
