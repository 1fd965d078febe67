import type { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import { migrateDatabase, TablesInUseError } from '@app/database/migrate';
import { EarlierSchemaError } from '@app/database/schema/earlier-schema';
import { RunningProcessesError } from '@app/database/schema/running-processes';
import { NewerSchemaError } from '@app/database/schema/schema-state';
import { AccountRepository } from '../../libs/database/accounts/account.repository';
import { resolve } from 'node:path';
import { firstCommands, firstRunFile, type FirstRun, type Preparation } from '../launcher/first-run';
import { LaunchError } from '../launcher/launch-error';
import { checkDatabase } from '../launcher/preflight';
import { patiently, withDatabase } from './with-database';

/** `greenroom migrate`. */
export async function migrate(config: AppConfig, { besideRunning = false } = {}): Promise<void> {
  const applied = await withDatabase(config, (filled) => migrateFor(filled, besideRunning), {
    migrates: true,
  });
  process.stdout.write(describeApplied(applied));
}

/** `greenroom seed`. Under the launcher it reports to it instead of the terminal. */
export async function seed(config: AppConfig, { demo = false } = {}): Promise<void> {
  const preparation = await withDatabase(config, demo ? prepareDemo : prepare, { migrates: true });
  if (!process.send) {
    process.stdout.write(describeApplied(preparation.applied));
    if (preparation.firstRun || !demo) process.stdout.write(describeSeed(preparation.firstRun, config));
    return;
  }
  process.send(preparation);
  process.disconnect();
}

/** What a person can do something about. */
const REFUSALS = [EarlierSchemaError, NewerSchemaError, RunningProcessesError, TablesInUseError];

/** SQLSTATE. */
const DISK_FULL = '53100';

async function migrateFor(config: AppConfig, besideRunning = false): Promise<string[]> {
  const onNote = (note: string) => process.stderr.write(`${note}\n`);
  try {
    return await patiently(
      config,
      async () =>
        migrateDatabase(config.requireMigrationDatabaseUrl(), config.requireDatabaseUrl(), {
          besideRunning,
          onNote,
        }),
      { away: true },
    );
  } catch (error) {
    if (error instanceof Error && REFUSALS.some((refusal) => error instanceof refusal))
      throw new LaunchError(error.message, { cause: error });
    const { code, message } = error as Error & { code?: string };
    if (code === DISK_FULL)
      throw new LaunchError(
        `The disk of the database is full (${message}). The step that met it was not applied: free space where PostgreSQL has its data, and run "greenroom migrate" again.`,
        { cause: error },
      );
    throw error;
  }
}

async function prepare(config: AppConfig): Promise<Preparation> {
  const applied = await migrateFor(config);
  await patiently(config, async () => checkDatabase(config.requireDatabaseUrl()), { away: true });
  if (await hasAccount(config.requireDatabaseUrl())) return { applied, firstRun: null };
  const { seedFirstRun } = await import('./seed-first-run.js');
  return { applied, firstRun: await seedFirstRun(config) };
}

async function prepareDemo(config: AppConfig): Promise<Preparation> {
  const preparation = await prepare(config);
  const { seedDemo } = await import('./demo/seed-demo.js');
  const isNew = await seedDemo(config);
  process.stdout.write(
    isNew
      ? 'Northwind Audio and six other customers were added, with keys, traffic, credits and voices. Voices are reviewed while Greenroom runs.\n'
      : 'Northwind Audio, the first customer of the demo, is there already: nothing was added.\n',
  );
  return preparation;
}

/** The usual case, decided without building the services. */
async function hasAccount(databaseUrl: string): Promise<boolean> {
  const dataSource = await createDataSource(databaseUrl, 'greenroom-seed').initialize();
  try {
    return await new AccountRepository(dataSource).existsAny();
  } finally {
    await dataSource.destroy();
  }
}

function describeApplied(applied: string[]): string {
  return applied.length > 0 ? `Applied ${applied.join(', ')}.\n` : 'The schema is up to date.\n';
}

function describeSeed(firstRun: FirstRun | null, config: AppConfig): string {
  if (!firstRun) return 'There are accounts already: nothing was added.\n';
  const commands = firstCommands(firstRun).map(({ title, command }) => `\n${title}\n${command}\n`);
  return `A demo account was added. Its API key, shown once and stored in ${firstRunFile(resolve(config.dataDir))}:\n${firstRun.api_key}\n${commands.join('')}`;
}
