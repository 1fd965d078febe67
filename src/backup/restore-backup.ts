import { CARRY_OVER, FIRST_MIGRATION } from '@app/database/schema/earlier-schema';
import { isLater, RELEASE } from '@app/database/schema/release';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { LaunchError } from '../launcher/launch-error';
import { chooseServerAccount, type ServerAccount } from '../launcher/postgres-account';
import { packageVersion } from '../launcher/postgres-binaries';
import { clusterVersion } from '../launcher/postgres-cluster';
import { clusterFolder, newSettings, readSettings, writeSettings } from '../launcher/postgres-settings';
import { clusterIn, restorePrivateFiles, unpackBackup, type BackupManifest } from './backup-file';
import { leavingNothing } from './leaving-nothing';

/**
 * Makes a DATA_DIR out of a backup. The caller holds its lock. Data that is there is moved aside, never deleted.
 *
 * @returns the manifest, and where data that was there is now
 * @throws LaunchError when the file is not a backup, or of another PostgreSQL or an earlier release; then nothing has changed
 */
export async function restoreBackup(
  file: string,
  dataDir: string,
  { replace, onNote }: { replace: boolean; onNote: (note: string) => void },
): Promise<{ manifest: BackupManifest; movedTo: string | null }> {
  const present = [...PARTS.map((name) => join(dataDir, name)), presentCluster(dataDir)].filter(isThere);
  if (present.length > 0 && !replace) {
    throw new LaunchError(
      `${dataDir} holds data already. Add --replace to move it aside, or set DATA_DIR to another folder.`,
    );
  }
  removeUnpacked(dataDir);
  const unpacked = mkdtempSync(join(dataDir, UNPACKED));
  return leavingNothing(
    () => [unpacked],
    async () => {
      const manifest = await unpackBackup(file, unpacked);
      if (manifest.kind === 'dump') throw dumpNeedsDatabase(file);
      checkVersion(manifest, file, clusterVersion(clusterIn(unpacked)));
      checkRelease(manifest, file);
      // From here on nothing waits, so that no signal comes between.
      const movedTo = present.length > 0 ? moveAside(present, dataDir) : null;
      place(unpacked, dataDir, manifest, onNote);
      return { manifest, movedTo };
    },
  );
}

/** How folders in DATA_DIR begin into which a backup is unpacked; six characters follow. */
const UNPACKED = '.greenroom-restore-';
const UNPACKED_NAME = /^\.greenroom-restore-\w{6}$/;

/** What a restore that was killed has left. */
function removeUnpacked(dataDir: string): void {
  for (const entry of readdirSync(dataDir, { withFileTypes: true }))
    if (entry.isDirectory() && UNPACKED_NAME.test(entry.name))
      rmSync(join(dataDir, entry.name), { recursive: true, force: true });
}

/** What a DATA_DIR contains, besides the cluster, which may be elsewhere. */
const PARTS = ['postgres.json', 'app-secret', 'first-run.json', 'archive'];

const isThere = (path: string | null): path is string => path !== null && existsSync(path);

function presentCluster(dataDir: string): string | null {
  return clusterFolder(readSettings(dataDir) ?? { home: dataDir });
}

function dumpNeedsDatabase(file: string): LaunchError {
  return new LaunchError(
    `${file} is of a PostgreSQL of your own: set DATABASE_URL (or MIGRATION_DATABASE_URL) to an empty database, and run "greenroom backup restore" with it.`,
  );
}

function checkVersion({ postgres }: BackupManifest, file: string, written: string | null): void {
  const major = packageVersion().split('.')[0];
  if (written === null) throw new LaunchError(`${file} has no database in it.`);
  if (written === major) return;
  throw new LaunchError(
    `${file} is of PostgreSQL ${postgres}, and this Greenroom brings PostgreSQL ${major}. Restore it with the release that created it, then follow "Upgrading" in docs/operations.md.`,
  );
}

/** @throws LaunchError for a backup of a release that this one does not continue: an earlier form of the schema, or a later release */
export function checkRelease({ schema, greenroom }: BackupManifest, file: string): void {
  if (isLater(greenroom, RELEASE.version))
    throw new LaunchError(
      `${file} is a backup of a later release (${greenroom}), and nothing was restored; this one is ${RELEASE.version}. Install that release.`,
    );
  if (schema === FIRST_MIGRATION) return;
  throw new LaunchError(
    `${file} is a backup of an earlier release, and nothing was restored: restore it with that release, then carry the data over as described under ${CARRY_OVER}.`,
  );
}

function moveAside(present: string[], dataDir: string): string {
  const aside = join(dataDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const path of present) move(path, join(aside, basename(path)));
  return aside;
}

function place(
  unpacked: string,
  dataDir: string,
  { login }: BackupManifest,
  onNote: (note: string) => void,
): void {
  const settings = { ...newSettings(dataDir, onNote), ...login };
  const folder = clusterFolder(settings);
  move(clusterIn(unpacked), folder);
  giveTo(chooseServerAccount(folder, onNote), folder);
  restorePrivateFiles(unpacked, dataDir);
  writeSettings(dataDir, settings);
}

/** Also to another file system, where a folder cannot be renamed to. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
    rmSync(from, { recursive: true });
  }
}

/** PostgreSQL refuses files of another user. */
function giveTo(account: ServerAccount, folder: string): void {
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    chownSync(join(entry.parentPath, entry.name), uid, gid);
  }
}
