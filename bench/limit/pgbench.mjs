import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runLoad } from '../lib/process.mjs';

const require = createRequire(import.meta.url);

/** One statement, so one trip and one commit: there is no smaller charge that is exact, durable and accounted for. */
const CHARGE = `
WITH charged AS (UPDATE bench_balance SET used = used + 1 WHERE id = :balance AND used < allowed RETURNING id)
INSERT INTO bench_line (balance, amount) SELECT id, 1 FROM charged;
`;

/** pgbench of the system, or of the embedded PostgreSQL; null where neither has it. */
export function findPgbench() {
  const { findInstalled } = require('../../dist/src/launcher/postgres-binaries.js');
  const bundled = join(findInstalled(), 'bin', 'pgbench');
  if (spawnSync('pgbench', ['--version']).status === 0) return 'pgbench';
  return existsSync(bundled) ? bundled : null;
}

/**
 * Charges `balances` balances at random with pgbench, in a database of its own.
 *
 * @returns what makes load for `measureInTurn`
 */
export async function prepareCharges(postgres, pgbench, balances) {
  const url = await postgres.createDatabase('limit_pgbench');
  await fill(url, balances);
  const script = join(mkdtempSync(join(tmpdir(), 'greenroom-pgbench-')), 'charge.sql');
  writeFileSync(script, `\\set balance random(1, ${balances})\n${CHARGE}`);
  return async ({ connections, seconds }) => {
    const args = ['-n', '-M', 'prepared', '-c', connections, '-T', seconds, '-f', script, url];
    return readReport(await runLoad(pgbench, args.map(String)), seconds);
  };
}

async function fill(url, balances) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      CREATE TABLE bench_balance (id int PRIMARY KEY, used bigint NOT NULL, allowed bigint NOT NULL);
      CREATE TABLE bench_line (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, balance int NOT NULL, amount int NOT NULL,
        at timestamptz NOT NULL DEFAULT now());
      INSERT INTO bench_balance SELECT n, 0, 1e15 FROM generate_series(1, ${balances}) n`);
    await client.query('VACUUM ANALYZE bench_balance');
  } finally {
    await client.end();
  }
}

function readReport(report, seconds) {
  const number = (pattern) => Number(pattern.exec(report)?.[1] ?? NaN);
  const requests = number(/transactions actually processed: (\d+)/);
  const perSec = number(/tps = ([\d.]+)/);
  if (!(perSec > 0)) throw new Error(`pgbench reported no transactions in ${seconds} s: ${report}`);
  const errors = number(/failed transactions: (\d+)/) || 0;
  return { requests, seconds: requests / perSec, errors };
}
