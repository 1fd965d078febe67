import { AppConfig } from '@app/config/app-config';
import { lastSlot } from '@app/config/schedule';
import { createBackupStore } from '@app/backup-store/configured-backup-store';
import type { BackupStore } from '@app/backup-store/backup-store';
import { PostgresClient } from '@app/database/common/postgres-client';
import { createDataSource } from '@app/database/data-source';
import { BackupRunRepository } from '@app/database/operations/backup-run.repository';
import {
  backupName,
  isBackupDue,
  isProofDue,
  listExpiredBackups,
  timeOfBackup,
} from '@app/domain/operations/backup-plan';
import { isOfFullDisk } from '@app/domain/common/full-disk';
import { sentence } from '@app/domain/common/sentences';
import { compareMigrations, laterSchema } from '@app/database/schema/schema-state';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { LaunchError, reasonOf } from '../launcher/launch-error';
import { databaseUrls, readSettings } from '../launcher/postgres-settings';
import { leavingNothing } from './leaving-nothing';

/** Held by the one process that makes, proves or deletes backups of a database. */
const BACKUP_LOCK = 7_301_976;

/** How a backup is made and proved, which depends on whose PostgreSQL it is. */
export interface BackupWork {
  /** Writes a backup into a folder, and returns the packed file in it. */
  make: (config: AppConfig, folder: string) => Promise<string>;
  /** Restores it to a scratch database. Returns what is wrong with it; null when nothing is. */
  prove: (config: AppConfig, file: string) => Promise<string | null>;
}

/** What the commands for backups share, while this process holds the lock. */
interface Opened {
  config: AppConfig;
  store: BackupStore;
  runs: BackupRunRepository;
  say: (text: string) => void;
}

/**
 * The configuration of a process that the launcher has given its embedded PostgreSQL as DATABASE_URL: without it, as the
 * launcher's own. Any other configuration as it is.
 */
export function withoutEmbedded(config: AppConfig): AppConfig {
  const settings = readSettings(resolve(config.dataDir));
  if (!settings || config.databaseUrl !== databaseUrls(settings).application) return config;
  return new AppConfig({ ...config, databaseUrl: undefined, migrationDatabaseUrl: undefined });
}

/**
 * Runs something while no other process makes, proves or deletes backups of this database.
 *
 * @returns false when another process does
 */
export async function withBackups(
  config: AppConfig,
  say: (text: string) => void,
  run: (opened: Opened) => Promise<void>,
): Promise<boolean> {
  const url = config.requireDatabaseUrl();
  const lock = new PostgresClient({ connectionString: url, application_name: 'greenroom-backup' });
  const dataSource = createDataSource(url, 'greenroom-backup', { timeLimits: false });
  try {
    await lock.connect();
    const { rows } = await lock.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [
      BACKUP_LOCK,
    ]);
    if (!rows[0]!.held) return false;
    await dataSource.initialize();
    await requireSchema(dataSource);
    const store = await createBackupStore(config);
    await run({ config, store, runs: new BackupRunRepository(dataSource), say });
    return true;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await lock.end().catch(() => undefined);
  }
}

/** What is known of backups is in a table of this release. */
async function requireSchema(dataSource: DataSource): Promise<void> {
  const { missing, later } = await compareMigrations(dataSource);
  if (later !== null) throw new LaunchError(laterSchema(later));
  if (missing.length > 0)
    throw new LaunchError(
      'The schema of the database is not that of this release: back it up with the release that it is of, or run "greenroom migrate" first.',
    );
}

/** Whether BACKUP_SCHEDULE wants a backup that no process has made, or tried just now. @throws LaunchError without a schedule */
export async function isScheduled({ config, runs }: Opened): Promise<boolean> {
  if (config.backupSchedule === undefined)
    throw new LaunchError('BACKUP_SCHEDULE is not set: it says when a backup is due.');
  const now = new Date();
  return isBackupDue(lastSlot(config.backupSchedule, now), await runs.getState(), now);
}

/** Makes a backup, proves it when that is due, and then deletes those that need not stay. @throws LaunchError */
export async function makeBackup({ config, store, runs, say }: Opened, work: BackupWork): Promise<void> {
  const startedAt = new Date();
  const name = backupName(startedAt);
  await runs.begin(name, store.place, startedAt);
  try {
    await store.prepare(say);
    await inWorkFolder(config, store, async (folder) => {
      await store.put(name, await work.make(config, folder));
    });
  } catch (error) {
    const cause = describeFailure(error, store);
    await runs.end(name, new Date(), cause);
    throw new LaunchError(`No backup was made: ${cause}`, { cause: error });
  }
  const stored = (await store.list()).find((each) => each.name === name);
  await runs.end(name, new Date(), stored?.bytes ?? 0);
  say(`${name}: ${megabytes(stored?.bytes ?? 0)} in ${store.place}`);
  const state = await runs.getState();
  if (isProofDue(state, config.backupProofDays, new Date()))
    await proveBackup({ config, store, runs, say }, name, work);
  await deleteExpired({ config, store, runs, say });
}

function describeFailure(error: unknown, { place, workFolder, workFolderVariable }: BackupStore): string {
  if (isOfFullDisk(error)) return fullDisk(workFolder, 'prepared', workFolderVariable);
  const reason = error instanceof LaunchError ? error.message : reasonOf(error);
  return sentence(reason.includes(place) ? reason : `${place}: ${reason}`);
}

/** The disk is that of a folder on this machine, wherever the backup goes. */
const fullDisk = (folder: string, done: 'prepared' | 'proved', variable: string) =>
  `${folder}: the disk is full. Backups are ${done} there: free space, or set ${variable} to another folder.`;

/** Restores a backup to a scratch database and examines it there. @throws LaunchError when it is not sound */
export async function proveBackup(
  { config, store, runs, say }: Opened,
  name: string,
  work: BackupWork,
): Promise<void> {
  const prove = async (folder: string) => {
    const file = await store.fetch(name, folder);
    if (file === null) throw new LaunchError(`${store.place} has no backup ${name}.`);
    const problem = await work.prove(config, file).catch((error: Error) => {
      if (isOfFullDisk(error)) throw error;
      return error.message;
    });
    const startedAt = timeOfBackup(name) ?? new Date();
    await runs.noteProof({ name, place: store.place, startedAt }, new Date(), problem);
    if (problem !== null)
      throw new LaunchError(
        `${name} is in ${store.place}, and what it restores to is not sound: ${problem} No older backup was deleted.`,
      );
    say(`${name}: proved, restored to a scratch database and examined there`);
  };
  await inWorkFolder(config, store, prove).catch((error: unknown) => {
    if (!isOfFullDisk(error)) throw error;
    throw new LaunchError(
      `${name} is in ${store.place}, and was not proved: ${fullDisk(tmpdir(), 'proved', 'TMPDIR')} No older backup was deleted.`,
      { cause: error },
    );
  });
}

async function deleteExpired({ config, store, runs, say }: Opened): Promise<void> {
  const names = (await store.list()).map(({ name }) => name);
  const proved = [...(await runs.list()).values()]
    .filter(({ provedAt, proofError }) => provedAt !== null && proofError === null)
    .sort((one, other) => other.provedAt!.getTime() - one.provedAt!.getTime());
  for (const name of listExpiredBackups(names, config.backupKeep, proved[0]?.name ?? null)) {
    await store.delete(name);
    say(`${name}: deleted, by BACKUP_KEEP`);
  }
}

/** A folder for the process that holds the lock: what one that was killed has left in it is removed first. */
async function inWorkFolder(
  config: AppConfig,
  store: BackupStore,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const owner = createHash('sha256').update(resolve(config.dataDir)).digest('hex').slice(0, 8);
  const folder = join(store.workFolder, `.greenroom-backup-run-${owner}`);
  await leavingNothing(
    () => [folder],
    async () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
      await run(folder);
    },
  );
}

export const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
