import { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import { FIRST_MIGRATION, isOfEarlierRelease } from '@app/database/schema/earlier-schema';
import type { CheckReport } from '@app/operations/check-row';
import { PACKAGE } from '@app/config/project-root';
import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { completeBackup, clusterIn, packBackup } from '../backup/backup-file';
import { copyRunningCluster } from '../backup/cluster-copy';
import { leavingNothing } from '../backup/leaving-nothing';
import { restoreBackup } from '../backup/restore-backup';
import { inScratchFolder } from '../backup/scratch-folder';
import { prepareDataDir } from '../launcher/data-dir';
import { DataDirLock } from '../launcher/data-dir-lock';
import { LaunchError } from '../launcher/launch-error';
import { packageVersion } from '../launcher/postgres-binaries';
import { clusterFolder, readSettings } from '../launcher/postgres-settings';
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
    await withDatabase(config, (ready) => copyRunning(ready.requireMigrationDatabaseUrl(), dataDir, content));
    note('Packing …');
    await packBackup(content, packed);
    renameSync(packed, file);
  });
  const report = await proveRestorable(config, file);
  const problems = report.flatMap(({ check, status, detail }) =>
    status === 'failed' ? [`${check}: ${detail}`] : [],
  );
  if (problems.length > 0)
    throw new LaunchError(`${file} was written, but what it restores to is not sound. ${problems.join(' ')}`);
  const megabytes = (statSync(file).size / 1024 / 1024).toFixed(1);
  process.stdout.write(
    `${file}: ${megabytes} MB, restored to a scratch folder and examined there.\nIt holds secrets: keep it as safe as the installation itself.\n`,
  );
}

async function copyRunning(databaseUrl: string, dataDir: string, folder: string): Promise<void> {
  await requirePresentSchema(databaseUrl);
  const settings = readSettings(dataDir)!;
  await copyRunningCluster(databaseUrl, clusterFolder(settings), clusterIn(folder));
  const { user, password, database, application } = settings;
  completeBackup(folder, dataDir, {
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
  } finally {
    lock.release();
  }
}

function refuseManaged({ databaseUrl }: AppConfig, command: string): void {
  if (!databaseUrl) return;
  throw new LaunchError(
    `"greenroom ${command}" is for the embedded PostgreSQL, and DATABASE_URL is set. Use your database's own backups, see docs/operations.md.`,
  );
}
