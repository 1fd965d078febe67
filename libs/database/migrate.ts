import { DataSource } from 'typeorm';
import { dataSourceOptions } from './data-source';

/** Any number that no other program uses on this database: the lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_301_954;

/**
 * Brings a database to the newest schema. Safe to call from several processes at once: one migrates, the others wait
 * and find nothing to do.
 *
 * @param databaseUrl `postgres://` URL
 * @returns names of the migrations that were applied, in order; empty when there was nothing to do
 * @throws the driver's error when the database cannot be reached or a migration fails (which is then rolled back)
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  const dataSource = new DataSource({
    ...dataSourceOptions(databaseUrl, { applicationName: 'greenroom-migrate', poolSize: 2 }),
    extra: { statement_timeout: 0 },
  });
  await dataSource.initialize();
  try {
    return await withMigrationLock(dataSource, async () => {
      const applied = await dataSource.runMigrations();
      return applied.map((migration) => migration.name);
    });
  } finally {
    await dataSource.destroy();
  }
}

async function withMigrationLock<T>(dataSource: DataSource, run: () => Promise<T>): Promise<T> {
  const lockHolder = dataSource.createQueryRunner();
  await lockHolder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    return await run();
  } finally {
    await lockHolder.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lockHolder.release();
  }
}
