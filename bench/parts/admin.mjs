import { createRequire } from 'node:module';
import { startPostgres } from '../lib/postgres.mjs';
import { runScript } from '../lib/script.mjs';

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
      await runScript(seed, [url, things, accounts]);
      measured[what] = JSON.parse(
        (await runScript(measure, [url, rounds, '--json'])).trim().split('\n').at(-1),
      );
    }
    return {
      title: `Lists of staff over ${things} keys, searches over ${things} voices, at the HTTP edge`,
      rows: Object.entries(measured).flatMap(([what, rows]) => rows.map((row) => ({ of: what, ...row }))),
    };
  } finally {
    await postgres.stop();
  }
}
