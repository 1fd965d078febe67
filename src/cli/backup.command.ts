import { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import { FIRST_MIGRATION, isOfEarlierRelease } from '@app/database/schema/earlier-schema';
import type { CheckReport } from '@app/operations/check-row';
import { PACKAGE } from '@app/config/project-root';
import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createBackupStore } from '@app/backup-store/configured-backup-store';
import { BackupRunRepository, type BackupRun } from '@app/database/operations/backup-run.repository';
import {
  completeBackup,
  clusterIn,
  packBackup,
  unpackBackup,
  unpackInventory,
  type BackupManifest,
} from '../backup/backup-file';
import { findLost } from '../backup/object-inventory';
import {
  isScheduled,
  makeBackup,
  megabytes,
  proveBackup,
  withBackups,
  withoutEmbedded,
  type BackupWork,
} from '../backup/backup-run';
import { asOwner, dumpDatabase, restoreDump } from '../backup/database-dump';
import { copyRunningCluster } from '../backup/cluster-copy';
import { leavingNothing } from '../backup/leaving-nothing';
import { checkRelease, restoreBackup } from '../backup/restore-backup';
import { inScratchFolder } from '../backup/scratch-folder';
import { prepareDataDir } from '../launcher/data-dir';
import { DataDirLock } from '../launcher/data-dir-lock';
import { LaunchError } from '../launcher/launch-error';
import { packageVersion } from '../launcher/postgres-binaries';
import { clusterFolder, readSettings } from '../launcher/postgres-settings';
import type { DataSource } from 'typeorm';
import { examineDatabase } from './doctor/doctor';
import { withDatabase } from './with-database';

const note = (text: string) => void process.stderr.write(`${text}\n`);

/** `greenroom backup`: writes everything that DATA_DIR holds into one file, and proves that it can be restored. */
export async function backUp(config: AppConfig, input?: string): Promise<void> {
  refuseManaged(config, 'backup');
  const dataDir = resolve(config.dataDir);
  if (!readSettings(dataDir)) throw new LaunchError(`There is nothing to back up in ${dataDir} yet.`);
  const file = resolve(input ?? `greenroom-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.tar.gz`);
  if (existsSync(file)) throw new LaunchError(`${file} exists already; give another name.`);
  mkdirSync(dirname(file), { recursive: true });
  await inScratchFolder(dirname(file), async (folder) => {
    const [content, packed] = [join(folder, 'content'), join(folder, 'packed')];
    note('Copying …');
    await withDatabase(config, (ready) => copyRunning(ready, content));
    note('Packing …');
    await packBackup(content, packed);
    renameSync(packed, file);
  });
  const problems = problemsOf(await proveRestorable(config, file));
  if (problems !== null)
    throw new LaunchError(`${file} was written, but what it restores to is not sound. ${problems}`);
  process.stdout.write(
    `${file}: ${megabytes(statSync(file).size)}, restored to a scratch folder and examined there.\nIt holds secrets: keep it as safe as the installation itself.\n`,
  );
}

async function copyRunning(config: AppConfig, folder: string): Promise<void> {
  const databaseUrl = config.requireMigrationDatabaseUrl();
  await requirePresentSchema(databaseUrl);
  const settings = readSettings(resolve(config.dataDir))!;
  await copyRunningCluster(databaseUrl, clusterFolder(settings), clusterIn(folder));
  const { user, password, database, application } = settings;
  await completeBackup(folder, config, {
    greenroom: PACKAGE.version,
    schema: FIRST_MIGRATION,
    postgres: packageVersion().split('.')[0]!,
    created_at: new Date().toISOString(),
    login: { user, password, database, application },
  });
}

async function requirePresentSchema(databaseUrl: string): Promise<void> {
  const dataSource = await createDataSource(databaseUrl, 'greenroom-backup').initialize();
  try {
    if (!(await isOfEarlierRelease(dataSource))) return;
  } finally {
    await dataSource.destroy();
  }
  throw new LaunchError('An earlier release created this database: back it up with that release.');
}

/** Restores the file into a separate folder, starts a server on it and examines that. */
async function proveRestorable(config: AppConfig, file: string): Promise<CheckReport> {
  note('Restoring it to a scratch folder, to be sure …');
  return inScratchFolder(tmpdir(), async (folder) => {
    // Started by root, PostgreSQL runs as another user, who has to pass through.
    if (process.getuid?.() === 0) chmodSync(folder, 0o711);
    const scratch = prepareDataDir(join(folder, 'data'));
    await restoreBackup(file, scratch, { replace: false, onNote: note });
    const there = new AppConfig({ ...config, dataDir: scratch });
    // Started by root, it may be elsewhere.
    const home = () => [readSettings(scratch)?.home ?? scratch];
    return leavingNothing(home, () =>
      withDatabase(there, (ready) => examineDatabase(ready, [], checksOf(config))),
    );
  });
}

/** What a backup holds. Redis, staff and models are not about the file, and what is in an object store is not in it. */
function checksOf({ s3 }: AppConfig): string[] {
  const always = ['database', 'schema', 'rights', 'audit log', 'reconciliation'];
  return s3 ? always : [...always, 'archive', 'recordings'];
}

/** What is wrong with a restored backup, as sentences; null when nothing is. */
function problemsOf(report: CheckReport): string | null {
  const failed = report.filter(({ status }) => status === 'failed');
  return failed.length === 0 ? null : failed.map(({ check, detail }) => `${check}: ${detail}`).join(' ');
}

const WORK: BackupWork = {
  make: async (config, folder) => {
    const [content, packed] = [join(folder, 'content'), join(folder, 'packed')];
    await (isEmbedded(config) ? copyRunning : dumpDatabase)(config, content);
    await packBackup(content, packed);
    return packed;
  },
  prove: async (config, file) => {
    const report = isEmbedded(config)
      ? await proveRestorable(withoutEmbedded(config), file)
      : await proveDump(config, file);
    const problems = [problemsOf(report), await findLostSince(config, file)].filter((each) => each !== null);
    return problems.length === 0 ? null : problems.join(' ');
  },
};

/** Whether the configuration is that of the embedded PostgreSQL, as `withDatabase` fills it in. */
function isEmbedded(config: AppConfig): boolean {
  return withoutEmbedded(config).databaseUrl === undefined;
}

const DUMP_CHECKS = ['database', 'schema', 'secret', 'audit log', 'reconciliation', 'ledger'];

/** Restores a dump into a new embedded server in a scratch folder, and examines it there. */
async function proveDump(config: AppConfig, file: string): Promise<CheckReport> {
  return inScratchFolder(tmpdir(), async (folder) => {
    if (process.getuid?.() === 0) chmodSync(folder, 0o711);
    const unpacked = join(folder, 'unpacked');
    const { postgres } = await unpackBackup(file, unpacked);
    const scratch = prepareDataDir(join(folder, 'data'));
    const there = new AppConfig({
      ...config,
      dataDir: scratch,
      databaseUrl: undefined,
      migrationDatabaseUrl: undefined,
    });
    const home = () => [readSettings(scratch)?.home ?? scratch];
    return leavingNothing(home, () =>
      withDatabase(
        there,
        async (ready) => {
          const owner = asOwner(ready);
          await restoreDump(unpacked, owner.requireDatabaseUrl(), Number(postgres));
          return examineDatabase(owner, [], config.s3 ? DUMP_CHECKS : [...DUMP_CHECKS, 'recordings']);
        },
        { migrates: true, examines: true },
      ),
    );
  });
}

/** What the bucket has lost of what a backup counts on, although the database in use still knows it; null when nothing. */
async function findLostSince(config: AppConfig, file: string): Promise<string | null> {
  const url = config.requireDatabaseUrl();
  const dataSource = await createDataSource(url, 'greenroom-backup', { timeLimits: false }).initialize();
  try {
    return await describeLost(config, file, dataSource);
  } finally {
    await dataSource.destroy();
  }
}

async function describeLost(
  { s3 }: AppConfig,
  file: string,
  live: DataSource | null,
): Promise<string | null> {
  if (!s3) return null;
  return inScratchFolder(tmpdir(), async (folder) => {
    if (!(await unpackInventory(file, folder))) return null;
    const { count, first } = await findLost(s3, folder, live);
    if (count === 0) return null;
    return `s3://${s3.bucket} no longer has ${count} of the objects that it counts on, first ${first}. Bring them back from the bucket's versions or a copy.`;
  });
}

/** After a restore: whether its recordings are where they were. */
async function noteObjects(config: AppConfig, file: string, { bucket }: BackupManifest): Promise<void> {
  if (bucket === undefined) return;
  if (!config.s3)
    return note(
      `Its recordings and archived months are in s3://${bucket}, and not in the backup: set AUDIO_STORE=s3 and S3_BUCKET=${bucket}, or the bucket that you have copied them to.`,
    );
  const lost = await describeLost(config, file, null);
  print(lost ?? `s3://${config.s3.bucket} has every object that it counts on.`);
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function withLock(
  config: AppConfig,
  run: Parameters<typeof withBackups>[2],
  onBusy: () => void,
): Promise<void> {
  await withDatabase(withoutEmbedded(config), async (ready) => {
    if (!(await withBackups(ready, print, run))) onBusy();
  });
}

const refuseBusy = () => {
  throw new LaunchError(
    'Another process makes or proves a backup of this database; try again when it has ended.',
  );
};

/**
 * `greenroom backup run`: makes a backup at BACKUP_TO, proves it when that is due, and deletes those that need not stay.
 *
 * @param options.ifDue only when the schedule still wants one: of workers that begin it together, one may have made it already
 */
export async function runBackup(
  config: AppConfig,
  { ifDue = false }: { ifDue?: boolean } = {},
): Promise<void> {
  await withLock(
    config,
    async (opened) => {
      if (ifDue && !(await isScheduled(opened))) print('No backup is due: another process has made it.');
      else await makeBackup(opened, WORK);
    },
    () => print('Another process makes a backup of this database.'),
  );
}

/** `greenroom backup prove`: restores a backup of BACKUP_TO, the newest unless one is named, to a scratch database. */
export async function prove(config: AppConfig, input?: string): Promise<void> {
  await withLock(
    config,
    async (opened) => {
      const name = input ?? (await opened.store.list()).at(-1)?.name;
      if (name === undefined)
        throw new LaunchError(`${opened.store.place} has no backup yet: "greenroom backup run".`);
      await proveBackup(opened, name, WORK);
    },
    refuseBusy,
  );
}

/** `greenroom backup list`: the backups at BACKUP_TO, and what is known of them. */
export async function listBackups(config: AppConfig): Promise<void> {
  const store = await createBackupStore(config);
  const stored = await store.list();
  if (stored.length === 0) return print(`${store.place} has no backup yet.`);
  // Without its database, a backup can be listed and restored all the same.
  const runs = await withDatabase(withoutEmbedded(config), listRuns).catch(() => null);
  if (runs === null) print('The database does not respond: what was proved is not known.');
  for (const { name, bytes } of stored) {
    const run = runs?.get(name);
    const proof = !run?.provedAt
      ? 'not proved'
      : run.proofError === null
        ? `proved ${run.provedAt.toISOString().slice(0, 16)}Z`
        : `proof failed: ${run.proofError}`;
    print(`${name}  ${megabytes(bytes).padStart(10)}  ${runs === null ? '' : proof}`.trimEnd());
  }
}

async function listRuns(config: AppConfig): Promise<Map<string, BackupRun>> {
  const dataSource = await createDataSource(config.requireDatabaseUrl(), 'greenroom-backup').initialize();
  try {
    return await new BackupRunRepository(dataSource).list();
  } finally {
    await dataSource.destroy();
  }
}

/** `greenroom backup restore`: one of BACKUP_TO, into DATA_DIR or an empty database. */
export async function restoreStored(
  config: AppConfig,
  name: string,
  options: { replace?: boolean },
): Promise<void> {
  const store = await createBackupStore(config);
  await inScratchFolder(tmpdir(), async (folder) => {
    const file = await store.fetch(name, folder);
    if (file === null)
      throw new LaunchError(
        `${store.place} has no backup ${name}: "greenroom backup list" shows those it has.`,
      );
    if (!config.databaseUrl) return restore(config, file, options);
    const unpacked = join(folder, 'unpacked');
    const manifest = await unpackBackup(file, unpacked);
    const { postgres, kind, created_at: createdAt } = manifest;
    if (kind !== 'dump')
      throw new LaunchError(`${name} is of the embedded PostgreSQL: restore it without DATABASE_URL.`);
    checkRelease(manifest, name);
    await restoreDump(unpacked, config.requireMigrationDatabaseUrl(), Number(postgres));
    await noteObjects(config, file, manifest);
    print(`Restored: the state of ${createdAt}. Now run "greenroom migrate", and then "greenroom doctor".`);
  });
}

/** `greenroom restore`: puts a backup in place of what DATA_DIR holds. */
export async function restore(
  config: AppConfig,
  file: string,
  { replace = false }: { replace?: boolean },
): Promise<void> {
  refuseManaged(config, 'restore');
  const dataDir = prepareDataDir(config.dataDir);
  const lock = await DataDirLock.acquire(dataDir, note);
  try {
    const { manifest, movedTo } = await restoreBackup(resolve(file), dataDir, { replace, onNote: note });
    process.stdout.write(`Restored to ${dataDir}: the state of ${manifest.created_at}.\n`);
    if (movedTo) process.stdout.write(`What was there before is in ${movedTo}.\n`);
    await noteObjects(config, resolve(file), manifest);
  } finally {
    lock.release();
  }
}

function refuseManaged({ databaseUrl }: AppConfig, command: string): void {
  if (!databaseUrl) return;
  throw new LaunchError(
    `"greenroom ${command}" is for the embedded PostgreSQL, and DATABASE_URL is set. Use "greenroom backup run" and "greenroom backup restore" with BACKUP_TO, or your database's own backups, see docs/operations.md.`,
  );
}
