import { PACKAGE } from '@app/config/project-root';
import { AppConfig } from '@app/config/app-config';
import { PostgresClient } from '@app/database/common/postgres-client';
import { FIRST_MIGRATION } from '@app/database/schema/earlier-schema';
import { mkdirSync } from 'node:fs';
import { LaunchError } from '../launcher/launch-error';
import { completeBackup, dumpIn } from './backup-file';
import { findTools, reachServer, runTool } from './postgres-tools';

const MAY_NOT_READ =
  'the role may not read every table. Create one that does (GRANT pg_read_all_data), and set BACKUP_DATABASE_URL to it';

/** Writes the rows of a PostgreSQL of the operator's into a folder, as they are at one moment, with the private files of DATA_DIR. */
export async function dumpDatabase(config: AppConfig, folder: string): Promise<void> {
  const { version, env } = await reachServer(
    config.backupDatabaseUrl ?? config.requireMigrationDatabaseUrl(),
  );
  const { dump } = await findTools(version);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const args = ['--format=custom', '--no-password', `--file=${dumpIn(folder)}`];
  await runTool(dump, args, env).catch((error: Error) => {
    throw /permission denied/.test(error.message)
      ? new LaunchError(`${error.message}: ${MAY_NOT_READ}`)
      : error;
  });
  await completeBackup(folder, config, {
    greenroom: PACKAGE.version,
    schema: FIRST_MIGRATION,
    postgres: String(version),
    created_at: new Date().toISOString(),
    kind: 'dump',
  });
}

/**
 * Puts the rows of an unpacked backup into an empty database, whole or not at all.
 *
 * @param databaseUrl of the role that is to own the tables
 * @param dumpVersion major version of the server that the rows are of
 * @throws LaunchError when the database has tables already
 */
export async function restoreDump(folder: string, databaseUrl: string, dumpVersion: number): Promise<void> {
  await requireEmpty(databaseUrl);
  const { env } = await reachServer(databaseUrl);
  const { restore } = await findTools(dumpVersion);
  const args = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction', '--no-password'];
  await runTool(restore, [...args, `--dbname=${env.PGDATABASE}`, dumpIn(folder)], env);
}

async function requireEmpty(databaseUrl: string): Promise<void> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query<{ tables: number }>(
      `SELECT count(*)::int AS tables FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN ('public', 'staff_auth')`,
    );
    if (rows[0]!.tables === 0) return;
  } finally {
    await client.end().catch(() => undefined);
  }
  throw new LaunchError(
    'The database has tables already, and nothing was restored. Create an empty one, set DATABASE_URL (and MIGRATION_DATABASE_URL) to it, and run the command again.',
  );
}

/** The configuration of commands that own the tables, for a database where no other role exists. */
export function asOwner(config: AppConfig): AppConfig {
  return new AppConfig({ ...config, databaseUrl: config.requireMigrationDatabaseUrl() });
}
