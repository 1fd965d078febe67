import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LaunchError, reasonOf } from './launch-error';
import { chooseServerAccount, type ServerAccount } from './postgres-account';
import { POSTGRES_ENV } from './postgres-binaries';
import { writePrivateJson } from './private-file';

/** `DATA_DIR/postgres.json`: how to reach the embedded server. */
export interface PostgresSettings {
  /** Folder of the cluster and, when a copy was needed, of the programs. DATA_DIR itself unless the server cannot enter it. */
  home: string;
  port: number;
  /** The superuser: creates the database and migrates. */
  user: string;
  password: string;
  database: string;
  /** What the application logs in with. Missing in a folder of an earlier release until its next start. */
  application?: { user: string; password: string };
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

/** Writes the settings, unless the file has them already. */
export function writeSettings(dataDir: string, settings: PostgresSettings): void {
  if (isDeepStrictEqual(readSettings(dataDir), settings)) return;
  writePrivateJson(settingsFile(dataDir), settings);
}

/** Settings for a first start: a random password, and a home that the server's user can enter. */
export function newSettings(dataDir: string, onNote: (note: string) => void): PostgresSettings {
  return {
    home: chooseHome(dataDir, onNote),
    port: 0,
    user: 'greenroom',
    password: newPassword(),
    database: 'greenroom',
    application: newApplication(),
  };
}

/** A login for the application's role. */
export function newApplication(): { user: string; password: string } {
  return { user: 'greenroom_app', password: newPassword() };
}

/** URLs of one database. */
export interface DatabaseUrls {
  /** As the role that the api and the workers run as. */
  application: string;
  /** As the role that owns the tables, and in the embedded server everything. */
  owner: string;
}

/** The URLs of the embedded server's database. */
export function databaseUrls({
  user,
  password,
  application,
  port,
  database,
}: PostgresSettings): DatabaseUrls {
  const url = (login: { user: string; password: string }) =>
    `postgres://${login.user}:${login.password}@127.0.0.1:${port}/${database}`;
  const owner = { user, password };
  return { application: url(application ?? owner), owner: url(owner) };
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
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
