import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);

/** Lists of keys for staff and searches of voices for customers, over a million of each; a hundredth of it when quick. */
export async function run({ quick }) {
  const [things, accounts, rounds] = quick ? ['20000', '200', '10'] : ['1000000', '10000', '100'];
  const postgres = await startPostgres();
  try {
    const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
    const measured = {};
    for (const [what, seed, measure] of [
      ['keys', 'seed-keys/seed-keys.mjs', 'seed-keys/measure-lists.mjs'],
      ['voices', 'seed-voices/seed-voices.mjs', 'seed-voices/measure-search.mjs'],
    ]) {
      const url = await postgres.createDatabase(what);
      await migrateDatabase(url);
      await script(seed, [url, things, accounts]);
      measured[what] = JSON.parse((await script(measure, [url, rounds, '--json'])).trim().split('\n').at(-1));
    }
    return {
      title: `Lists of staff over ${things} keys, searches over ${things} voices, at the HTTP edge`,
      rows: Object.entries(measured).flatMap(([what, rows]) => rows.map((row) => ({ of: what, ...row }))),
    };
  } finally {
    await postgres.stop();
  }
}

/** What a script of the bench prints. */
async function script(name, args) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`bench/${name} ended with ${code}`);
  return output;
}
