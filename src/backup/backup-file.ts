import { archiveFolder } from '@app/archive-store/configured-archive-store';
import type { AppConfig } from '@app/config/app-config';
import { appSecretFile, previousSecretFile } from '@app/config/app-secret';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { create, extract } from 'tar';
import { firstRunFile } from '../launcher/first-run';
import { LaunchError, reasonOf } from '../launcher/launch-error';
import { writePrivateJson } from '../launcher/private-file';
import type { PostgresSettings } from '../launcher/postgres-settings';
import { INVENTORY, writeInventory } from './object-inventory';

/** Says what a backup is, in the backup. */
export interface BackupManifest {
  greenroom: string;
  /** The migration that the database began with; absent in backups of earlier releases. */
  schema?: string;
  /** Major version of the PostgreSQL that wrote the files. */
  postgres: string;
  created_at: string;
  /** The rows of a PostgreSQL that is not Greenroom's own, as pg_dump writes them; without it, the files of the embedded one. */
  kind?: 'dump';
  /** Where its recordings and archived months are, when they are in an object store: the inventory says which. */
  bucket?: string;
  /** Of the embedded PostgreSQL. */
  login?: Pick<PostgresSettings, 'user' | 'password' | 'database' | 'application'>;
}

const ARCHIVE = basename(archiveFolder(''));

const MANIFEST = 'greenroom-backup.json';

/** The cluster within an unpacked backup. */
export const clusterIn = (folder: string): string => join(folder, 'postgres');

/** The rows within an unpacked backup of a PostgreSQL that is not Greenroom's own. */
export const dumpIn = (folder: string): string => join(folder, 'database.dump');

/**
 * Adds what belongs to the database to an unpacked backup: its manifest, the private files of DATA_DIR, and where recordings are in a
 * bucket, the list of what that has.
 */
export async function completeBackup(
  folder: string,
  { s3, ...config }: AppConfig,
  manifest: BackupManifest,
): Promise<void> {
  const dataDir = resolve(config.dataDir);
  if (s3) await writeInventory(s3, folder);
  writePrivateJson(join(folder, MANIFEST), { ...manifest, ...(s3 && { bucket: s3.bucket }) });
  for (const file of privateFiles(dataDir)) copyFileSync(file, join(folder, basename(file)));
  if (existsSync(archiveFolder(dataDir)))
    cpSync(archiveFolder(dataDir), join(folder, ARCHIVE), { recursive: true });
}

/** Packs a folder into a file that only its owner reads. */
export async function packBackup(folder: string, file: string): Promise<void> {
  await create({ gzip: { level: 6 }, file, cwd: folder, mode: 0o600, portable: true }, ['.']);
  chmodSync(file, 0o600);
}

/** What is wrong with the folder, or with the rights of the user, rather than with the file. */
const NOT_OF_THE_FILE = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS']);

/**
 * Unpacks a backup and says what it is.
 *
 * @throws LaunchError when it is none, or cannot be unpacked there
 */
export async function unpackBackup(file: string, folder: string): Promise<BackupManifest> {
  if (!existsSync(file)) throw new LaunchError(`The file ${file} does not exist.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    await extract({ file, cwd: folder, strict: true });
    return JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as BackupManifest;
  } catch (error) {
    const problem = NOT_OF_THE_FILE.has((error as NodeJS.ErrnoException).code ?? '')
      ? `cannot be unpacked to ${folder}`
      : 'is not a complete backup of Greenroom';
    throw new LaunchError(`${file} ${problem}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Unpacks the inventory of a backup alone. False for a backup that has none: its recordings are in it. */
export async function unpackInventory(file: string, folder: string): Promise<boolean> {
  await extract({ file, cwd: folder, strict: true, filter: (path) => basename(path) === INVENTORY });
  return existsSync(join(folder, INVENTORY));
}

/** Puts the private files of an unpacked backup, and the archived months of the ledger, into a DATA_DIR. */
export function restorePrivateFiles(folder: string, dataDir: string): void {
  for (const file of privateFiles(dataDir, folder)) renameSync(join(folder, basename(file)), file);
  if (existsSync(join(folder, ARCHIVE))) renameSync(join(folder, ARCHIVE), archiveFolder(dataDir));
}

function privateFiles(dataDir: string, where: string = dataDir): string[] {
  const files = [appSecretFile(dataDir), previousSecretFile(dataDir), firstRunFile(dataDir)];
  return files.filter((file) => existsSync(join(where, basename(file))));
}
