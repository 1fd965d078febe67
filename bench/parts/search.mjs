import { createRequire } from 'node:module';
import { startPostgres } from '../lib/postgres.mjs';
import { runScript } from '../lib/script.mjs';

const require = createRequire(import.meta.url);

/** The search of the console over a million keys and a million voices in one database; a fiftieth of it when quick. */
export async function run({ quick }) {
  const [things, accounts, rounds] = quick ? ['20000', '200', '10'] : ['1000000', '10000', '200'];
  const postgres = await startPostgres();
  try {
    const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
    const url = await postgres.createDatabase('everything');
    await migrateDatabase(url);
    await runScript('seed-keys/seed-keys.mjs', [url, things, accounts]);
    await runScript('seed-voices/seed-voices.mjs', [url, things, accounts]);
    const output = await runScript('seed-voices/measure-find.mjs', [url, rounds, '--json']);
    return {
      title: `Search over everything: ${things} keys and ${things} voices, at the HTTP edge`,
      rows: JSON.parse(output.trim().split('\n').at(-1)),
    };
  } finally {
    await postgres.stop();
  }
}
