import { runMigrations as migrateQueues } from 'bullmq';
import { DataSource, MigrationExecutor, type Migration, type QueryRunner } from 'typeorm';
import { allowApplication, QUEUE_SCHEMA } from './common/application-role';
import { PostgresClient } from './common/postgres-client';
import { dataSourceOptions } from './data-source';
import { RepairEditedMigrations1797500000000 } from './schema/1797500000000-repair-edited-migrations';
import { EarlierSchemaError, isOfEarlierRelease, replaceEarlierMigrations } from './schema/earlier-schema';
import { compareMigrations, NewerSchemaError, saveRelease } from './schema/schema-state';
import { applySqlDefinitions } from './schema/sql-definitions';

/** Any number that no other program uses on this database: the lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_301_954;

/**
 * Brings a database to the newest schema, ours and that of the queues, and grants the application's role what it needs
 * there. Our part is one transaction: the migrations, then the functions and views whose text has changed. Safe to call from
 * several processes at once: one migrates, the others wait and find nothing to do.
 *
 * @param databaseUrl `postgres://` URL of the role that owns the schema
 * @param applicationUrl URL of the role that the api and the workers connect as; created where it is missing
 * @returns names of the migrations (with what one repaired), functions and views that were applied, in order; empty when there was nothing to do
 * @throws EarlierSchemaError when an earlier release created the database; nothing is changed then
 * @throws NewerSchemaError when a newer release has migrated it: its functions would be replaced by earlier ones
 * @throws the driver's error when the database cannot be reached or a migration fails (which is then rolled back)
 */
export async function migrateDatabase(databaseUrl: string, applicationUrl = databaseUrl): Promise<string[]> {
  const client = new PostgresClient({ connectionString: databaseUrl, application_name: 'greenroom-migrate' });
  await client.connect();
  try {
    // Held until the connection ends.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await runMigrations(databaseUrl);
    await migrateQueues(client, QUEUE_SCHEMA);
    await allowApplication(client, applicationUrl);
    return applied;
  } catch (error) {
    throw mayNotMigrate(error as Error, client.user);
  } finally {
    await client.end();
  }
}

/** SQLSTATE of insufficient privileges. */
const NOT_PERMITTED = '42501';

function mayNotMigrate(error: Error & { code?: string }, role = ''): Error {
  if (error.code !== NOT_PERMITTED) return error;
  return new Error(
    `The role "${role}" may not change the schema (${error.message}). Set MIGRATION_DATABASE_URL to the role that owns it: docs/operations.md, "Two roles".`,
    { cause: error },
  );
}

async function runMigrations(databaseUrl: string): Promise<string[]> {
  const dataSource = new DataSource({
    ...dataSourceOptions(databaseUrl, { applicationName: 'greenroom-migrate', poolSize: 1 }),
    // No time limits: a migration takes as long as its tables are large.
    extra: {},
  });
  await dataSource.initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    const applied = await applyAll(dataSource, queryRunner);
    await queryRunner.commitTransaction();
    return applied;
  } finally {
    // Ends the connection, and with it a transaction that was not committed.
    await dataSource.destroy();
  }
}

async function applyAll(dataSource: DataSource, queryRunner: QueryRunner): Promise<string[]> {
  if (await isOfEarlierRelease(queryRunner.manager)) throw new EarlierSchemaError();
  await replaceEarlierMigrations(queryRunner.manager);
  const { later } = await compareMigrations(dataSource, queryRunner.manager);
  if (later !== null) throw new NewerSchemaError(later);
  const executor = new MigrationExecutor(dataSource, queryRunner);
  // It uses the transaction of the query runner.
  executor.transaction = 'none';
  const migrations = await executor.executePendingMigrations();
  await saveRelease(queryRunner.manager);
  return [...migrations.map(describeMigration), ...(await applySqlDefinitions(queryRunner.manager))];
}

function describeMigration({ name, instance }: Migration): string {
  const repaired = instance instanceof RepairEditedMigrations1797500000000 ? instance.repaired : [];
  return repaired.length > 0 ? `${name} (${repaired.join('; ')})` : name;
}
