// node bench/start.mjs [ROUNDS] [NAME=MAIN.js …]: CPU, seconds and memory until an api and a worker are ready. Of this build, or of
// several builds in turn, such as bundle=dist/src/main.js files=/elsewhere/dist/src/main.js (a copy without dist/bundle).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './lib/postgres.mjs';

const require = createRequire(import.meta.url);
const [rounds = '5', ...given] = process.argv.slice(2);
const builds = (
  given.length > 0 ? given : [`this=${fileURLToPath(new URL('../dist/src/main.js', import.meta.url))}`]
).map((text) => text.split('='));
const { migrateDatabase } = require('../dist/libs/database/migrate.js');
const { FRUGAL_MEMORY } = require('../dist/src/launcher/node-child.js');

const postgres = await startPostgres();
try {
  const ownerUrl = await postgres.createDatabase('start');
  const url = postgres.applicationUrl('start');
  await migrateDatabase(ownerUrl, url);
  const found = {};
  for (let round = 0; round < Number(rounds); round += 1)
    for (const role of ['api', 'worker'])
      for (const [name, main] of builds)
        (found[`${role} ${name}`] ??= []).push(await measureStart(main, role, url));
  for (const [name, starts] of Object.entries(found))
    for (const unit of ['cpuSecs', 'secs', 'mb'])
      console.log(name.padEnd(20), unit.padEnd(8), starts.map((start) => start[unit].toFixed(2)).join('  '));
  console.log(`load ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
} finally {
  await postgres.stop();
}

async function measureStart(main, role, url) {
  const env = {
    ...process.env,
    ...FRUGAL_MEMORY,
    DATABASE_URL: url,
    APP_SECRET: 'a-secret-of-the-bench-that-nobody-else-uses',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
  };
  const startedAt = Date.now();
  const child = fork(main, [role], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error(`${role} of ${main} does not start.`);
    }),
  ]);
  const secs = (Date.now() - startedAt) / 1_000;
  const read = (file) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  const fields = read('stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  const cpuSecs = (Number(fields[11]) + Number(fields[12])) / 100;
  const mb = Number(/VmRSS:\s+(\d+)/.exec(read('status'))[1]) / 1_024;
  // What compiles in the background ends.
  await delay(1_500);
  child.kill('SIGTERM');
  await ended;
  return { cpuSecs, secs, mb };
}
