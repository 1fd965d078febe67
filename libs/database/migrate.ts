import { ALERT_KINDS } from '../domain/alerts/alert-kinds';
import { runMigrations as migrateQueues } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type Migration, type QueryRunner } from 'typeorm';
import { addFirstAlertRules } from './alerts/first-alert-rules';
import { allowApplication, allowNewRelations, QUEUE_SCHEMA } from './common/application-role';
import { PostgresClient } from './common/postgres-client';
import { dataSourceOptions } from './data-source';
import { RepairEditedMigrations1797500000000 } from './schema/1797500000000-repair-edited-migrations';
import { lockChangedTables } from './schema/changed-tables';
import { EarlierSchemaError, isOfEarlierRelease, replaceEarlierMigrations } from './schema/earlier-schema';
import { requireNoEarlierProcess } from './schema/running-processes';
import { compareMigrations, NewerSchemaError, saveRelease } from './schema/schema-state';
import { applySqlDefinitions } from './schema/sql-definitions';

/** Any number that no other program uses on this database: the lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_301_954;

/** Between two attempts at tables that are in use. */
const LOCK_PAUSE_MS = 1_000;
const LOCK_ATTEMPTS = 40;

export interface MigrateOptions {
  /** Runs also what processes of an earlier release cannot run beside, while some are heard. */
  besideRunning?: boolean;
  /** Gets what a person should read before it begins, or while it waits. */
  onNote?: (note: string) => void;
}

/**
 * Brings a database to the newest schema, ours and that of the queues, and grants the application's role what it needs
 * there. Our part is one transaction: the migrations, then the functions and views whose text has changed, and rights on what is new. Safe to call from
 * several processes at once: one migrates, the others wait and find nothing to do. Requests that run meanwhile come first: a table that is
 * in use is waited for 2 s, then everything is rolled back and begins again, 40 times at most (`lockChangedTables`).
 *
 * @param databaseUrl `postgres://` URL of the role that owns the schema
 * @param applicationUrl URL of the role that the api and the workers connect as; created where it is missing
 * @returns names of the migrations (with what one repaired), functions and views that were applied, in order; empty when there was nothing to do
 * @throws RunningProcessesError when it takes what processes that are heard still use
 * @throws EarlierSchemaError when an earlier release created the database; nothing is changed then
 * @throws NewerSchemaError when a newer release has migrated it: its functions would be replaced by earlier ones
 * @throws the driver's error when the database cannot be reached or a migration fails (which is then rolled back)
 */
export async function migrateDatabase(
  databaseUrl: string,
  applicationUrl = databaseUrl,
  { besideRunning = false, onNote = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  const client = new PostgresClient({ connectionString: databaseUrl, application_name: 'greenroom-migrate' });
  await client.connect();
  try {
    // Held until the connection ends.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await runWhenFree(databaseUrl, { applicationUrl, besideRunning, onNote });
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

/** SQLSTATE of a lock that was not to be had in time, and of a deadlock that the server has ended. */
const LOCK_FAILURES = new Set(['55P03', '40P01']);

type RunOptions = Required<MigrateOptions> & { applicationUrl: string };

async function runWhenFree(databaseUrl: string, options: RunOptions): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runMigrations(databaseUrl, options);
    } catch (error) {
      const { code, message } =
        (error as { driverError?: { code?: string; message?: string } }).driverError ?? {};
      if (!LOCK_FAILURES.has(code ?? '')) throw error;
      if (attempt === LOCK_ATTEMPTS) throw new TablesInUseError(message, { cause: error });
      options.onNote(`A table that changes is in use (${message}): rolled back, and begun again in 1 s.`);
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** A transaction that stays open keeps the migrations from a table. */
export class TablesInUseError extends Error {
  constructor(reason = '', options?: ErrorOptions) {
    super(
      `The schema was not changed: at each of ${LOCK_ATTEMPTS} attempts a table was in use (${reason}). Look in pg_stat_activity for a transaction that stays open.`,
      options,
    );
    this.name = 'TablesInUseError';
  }
}

async function runMigrations(databaseUrl: string, options: RunOptions): Promise<string[]> {
  const dataSource = new DataSource({
    ...dataSourceOptions(databaseUrl, { applicationName: 'greenroom-migrate', poolSize: 1 }),
    // No time limits: a migration takes as long as its tables are large.
    extra: {},
  });
  await dataSource.initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    const applied = await applyAll(dataSource, queryRunner, options);
    await allowNewRelations(queryRunner.manager, options.applicationUrl);
    await queryRunner.commitTransaction();
    return applied;
  } finally {
    // Ends the connection, and with it a transaction that was not committed.
    await dataSource.destroy();
  }
}

async function applyAll(
  dataSource: DataSource,
  queryRunner: QueryRunner,
  options: Required<MigrateOptions>,
): Promise<string[]> {
  if (await isOfEarlierRelease(queryRunner.manager)) throw new EarlierSchemaError();
  await replaceEarlierMigrations(queryRunner.manager);
  const { later, missing } = await compareMigrations(dataSource, queryRunner.manager);
  if (later !== null) throw new NewerSchemaError(later);
  await requireNoEarlierProcess(queryRunner.manager, missing, options);
  await lockChangedTables(
    queryRunner.manager,
    dataSource.migrations.filter(({ name, constructor }) => missing.includes(name ?? constructor.name)),
  );
  const executor = new MigrationExecutor(dataSource, queryRunner);
  // It uses the transaction of the query runner.
  executor.transaction = 'none';
  const migrations = await executor.executePendingMigrations();
  await saveRelease(queryRunner.manager);
  await addFirstAlertRules(ALERT_KINDS, queryRunner.manager);
  return [...migrations.map(describeMigration), ...(await applySqlDefinitions(queryRunner.manager))];
}

function describeMigration({ name, instance }: Migration): string {
  const repaired = instance instanceof RepairEditedMigrations1797500000000 ? instance.repaired : [];
  return repaired.length > 0 ? `${name} (${repaired.join('; ')})` : name;
}
