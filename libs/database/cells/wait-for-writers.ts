import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

const EVERY_MS = 50;
/** Longer than a request may take. */
const LONGEST_MS = 30_000;

/**
 * Waits until the transactions that have written to some tables, and are not over, have ended. Those that begin meanwhile are not
 * waited for.
 *
 * @throws when one of them takes longer than 30 s
 */
export async function waitForWriters(tables: readonly string[], dataSource: DataSource): Promise<void> {
  const list = async () => {
    const rows = await dataSource.query<{ id: string }[]>(
      `SELECT DISTINCT virtualtransaction AS id FROM pg_locks
       WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = ANY ($1::text[]::regclass[])
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [tables],
    );
    return rows.map(({ id }) => id);
  };
  let writers = await list();
  for (const startedAtMs = performance.now(); writers.length > 0; await sleep(EVERY_MS)) {
    if (performance.now() - startedAtMs > LONGEST_MS)
      throw new Error(
        'A transaction of the source takes longer than 30 s. Run the command again, or with --take-back.',
      );
    const current = new Set(await list());
    writers = writers.filter((id) => current.has(id));
  }
}
