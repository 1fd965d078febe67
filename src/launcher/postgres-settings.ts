import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { LaunchError, reasonOf } from './launch-error';
import { chooseServerAccount, type ServerAccount } from './postgres-account';
import { POSTGRES_ENV } from './postgres-binaries';
import { writePrivateJson } from './private-file';

/** `DATA_DIR/postgres.json`: how to reach the embedded server. */
export interface PostgresSettings {
  /** Folder of the cluster and, when a copy was needed, of the programs. DATA_DIR itself unless the server cannot enter it. */
  home: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Where the server keeps its files when started by root with a DATA_DIR that no other user can enter, such as one under /root. */
const HOME_ELSEWHERE = '/var/lib/greenroom';

const settingsFile = (dataDir: string) => join(dataDir, 'postgres.json');

export function clusterFolder({ home }: Pick<PostgresSettings, 'home'>): string {
  return join(home, 'postgres');
}

/** The settings of this DATA_DIR, or null before the first start. */
export function readSettings(dataDir: string): PostgresSettings | null {
  try {
    const settings = JSON.parse(readFileSync(settingsFile(dataDir), 'utf8')) as Partial<PostgresSettings>;
    return settings.home && settings.password ? (settings as PostgresSettings) : null;
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new LaunchError(
        `${settingsFile(dataDir)} belongs to another user: run Greenroom as the user who started it first.`,
        { cause: error },
      );
    }
    return null;
  }
}

export function writeSettings(dataDir: string, settings: PostgresSettings): void {
  writePrivateJson(settingsFile(dataDir), settings);
}

/** Settings for a first start: a random password, and a home that the server's user can enter. */
export function newSettings(dataDir: string, onNote: (note: string) => void): PostgresSettings {
  return {
    home: chooseHome(dataDir, onNote),
    port: 0,
    user: 'greenroom',
    password: randomBytes(24).toString('base64url'),
    database: 'greenroom',
  };
}

/** The URL of the embedded server's database. */
export function databaseUrl({ user, password, port, database }: PostgresSettings): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

function chooseHome(dataDir: string, onNote: (note: string) => void): string {
  const account = chooseServerAccount(join(dataDir, 'postgres'), onNote);
  if (canEnter(dataDir, account)) return dataDir;
  const home = join(HOME_ELSEWHERE, randomUUID().slice(0, 8));
  try {
    mkdirSync(home, { recursive: true, mode: 0o755 });
    if (!canEnter(home, account)) throw new Error('the server cannot enter it either');
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw new LaunchError(
      `PostgreSQL does not run as root, its user (uid ${account.uid}) cannot enter DATA_DIR ${dataDir}, and ${home} cannot be used: ${reasonOf(error)}. Set DATA_DIR to a folder that other users can enter.`,
      { cause: error },
    );
  }
  onNote(
    `DATA_DIR is closed to other users and PostgreSQL does not run as root: it keeps its data in ${home}`,
  );
  return home;
}

function canEnter(folder: string, account: ServerAccount): boolean {
  if (account.uid === undefined) return true;
  const { status } = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    ...account,
    cwd: '/',
    env: POSTGRES_ENV,
    stdio: 'ignore',
  });
  return status === 0 && existsSync(folder);
}
