import { AppConfig, childEnvironment, loadConfig } from '@app/config/app-config';
import { appSecretFile } from '@app/config/app-secret';
import { whileLate } from '@app/database/common/late-database';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { prepareDataDir } from '../launcher/data-dir';
import { DataDirLock } from '../launcher/data-dir-lock';
import { EmbeddedPostgres } from '../launcher/embedded-postgres';
import { LaunchError } from '../launcher/launch-error';
import { clusterFolder, databaseUrls, readSettings, type DatabaseUrls } from '../launcher/postgres-settings';
import { checkDatabase, checkMigrationDatabase } from '../launcher/preflight';
import { ProcessGuard } from '../launcher/process-guard';
import { installationSecret, type SecretOptions } from '../launcher/installation-secret';

/**
 * Gives a command the database it works on: that of DATABASE_URL; or the embedded one of DATA_DIR, which is started for as
 * long as the command runs when no other process has started it. Only a command that migrates makes one where there is none.
 *
 * @param run gets the configuration with the database's URLs filled in
 * @param options.migrates for a command that begins with a migration: before it, the application's role need not exist
 * @param options.examines for a command that writes nothing and says itself what is wrong with the audit log
 * @throws LaunchError when there is no database yet, it cannot be used, or its secret is unknown
 */
export async function withDatabase<T>(
  config: AppConfig,
  run: (config: AppConfig) => Promise<T>,
  { migrates = false, examines = false } = {},
): Promise<T> {
  if (config.databaseUrl) {
    const { databaseUrl } = config;
    const ready = async () => {
      await (migrates ? checkMigrationDatabase(config) : checkDatabase(databaseUrl));
      return withSecret(config, { migrates, check: !examines });
    };
    return run(await patiently(config, ready, { away: migrates }));
  }
  const dataDir = resolve(config.dataDir);
  if (!DataDirLock.holder(dataDir)) {
    if (!migrates) requireCluster(dataDir);
    return withOwnServer(config, run, { create: true, check: !examines });
  }
  const settings = readSettings(dataDir);
  if (!settings) throw new LaunchError('Greenroom is still starting; try again when it is ready.');
  return run(await configFor(config, dataDir, databaseUrls(settings), { create: false, check: !examines }));
}

/** A command that begins while its database is late waits, and says so; one that a server begins with also while it is `away`. */
export async function patiently<T>(
  { startWaitSecs: waitSecs }: AppConfig,
  run: () => Promise<T>,
  { away }: { away: boolean },
): Promise<T> {
  const onNote = (note: string) => void process.stderr.write(`${note}\n`);
  return whileLate(run, { what: 'the database', waitSecs, onNote, away });
}

function requireCluster(dataDir: string): void {
  if (existsSync(clusterFolder(readSettings(dataDir) ?? { home: dataDir }))) return;
  throw new LaunchError(
    `There is no Greenroom in ${dataDir} yet. Set DATA_DIR to where it is, or start one with "greenroom start".`,
  );
}

/** "greenroom start" with a DATABASE_URL has stored the secret that it generated in its DATA_DIR. Some commands need none. */
async function withSecret(
  config: AppConfig,
  { migrates, check }: { migrates: boolean; check: boolean },
): Promise<AppConfig> {
  const dataDir = resolve(config.dataDir);
  if (!config.appSecret && !existsSync(appSecretFile(dataDir))) return config;
  const url = migrates ? config.requireMigrationDatabaseUrl() : config.requireDatabaseUrl();
  const { secret, previous } = await installationSecret(config.appSecret, dataDir, url, {
    create: false,
    check,
    previous: config.appSecretPrevious,
  });
  return new AppConfig({ ...config, appSecret: secret, appSecretPrevious: previous });
}

/** The configuration with what the launcher fills in. */
async function configFor(
  { appSecret, appSecretPrevious }: AppConfig,
  dataDir: string,
  { application, owner }: DatabaseUrls,
  options: SecretOptions,
): Promise<AppConfig> {
  const { secret, previous } = await installationSecret(appSecret, dataDir, owner, {
    ...options,
    previous: appSecretPrevious,
  });
  return loadConfig(
    childEnvironment({
      DATABASE_URL: application,
      MIGRATION_DATABASE_URL: owner,
      APP_SECRET: secret,
      APP_SECRET_PREVIOUS: previous ?? '',
      DATA_DIR: dataDir,
    }),
  );
}

async function withOwnServer<T>(
  config: AppConfig,
  run: (config: AppConfig) => Promise<T>,
  options: SecretOptions,
): Promise<T> {
  const dataDir = prepareDataDir(config.dataDir);
  const onNote = (note: string) => void process.stderr.write(`postgres: ${note}\n`);
  const lock = await DataDirLock.acquire(dataDir, onNote);
  const guard = new ProcessGuard(lock);
  const server = new EmbeddedPostgres(dataDir, lock, {
    onNote,
    onPid: (pid) => guard.watch('postgres', pid),
  });
  try {
    return await run(await configFor(config, dataDir, await server.start(), options));
  } finally {
    await server.stop();
    await guard.dismiss();
    lock.release();
  }
}
