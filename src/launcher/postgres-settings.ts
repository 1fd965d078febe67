import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LaunchError } from './launch-error';
import { chooseHome, homeOf } from './postgres-home';
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

/** The file names a home only when that is elsewhere, so that a folder can be moved and copied. */
type StoredSettings = Omit<PostgresSettings, 'home'> & { home?: string };

const settingsFile = (dataDir: string) => join(dataDir, 'postgres.json');

export function clusterFolder({ home }: Pick<PostgresSettings, 'home'>): string {
  return join(home, 'postgres');
}

/** The settings of this DATA_DIR, or null before the first start. */
export function readSettings(dataDir: string): PostgresSettings | null {
  try {
    const stored = JSON.parse(readFileSync(settingsFile(dataDir), 'utf8')) as StoredSettings;
    if (!stored.password) return null;
    return { ...stored, home: homeOf(dataDir, stored.home) };
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
  const { home, ...others } = settings;
  writePrivateJson(settingsFile(dataDir), home === dataDir ? others : settings);
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
