import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { LaunchError, reasonOf } from './launch-error';
import { LockFile } from './lock-file';
import { chooseServerAccount, type ServerAccount } from './postgres-account';
import { POSTGRES_ENV } from './postgres-binaries';

/** Where the server keeps its files when started by root with a DATA_DIR that no other user can enter, such as one under /root. */
const HOME_ELSEWHERE = '/var/lib/greenroom';

/**
 * The folder of the cluster. One in DATA_DIR counts before any other: earlier releases stored an absolute path, which is wrong
 * once the folder is moved, and the original's once it is copied.
 */
export function homeOf(dataDir: string, stored = dataDir): string {
  const isElsewhere = stored.startsWith(HOME_ELSEWHERE + sep) && !existsSync(join(dataDir, 'postgres'));
  return isElsewhere ? stored : dataDir;
}

/** DATA_DIR, or a new folder elsewhere when the server's user cannot enter that. */
export function chooseHome(dataDir: string, onNote: (note: string) => void): string {
  const account = chooseServerAccount(join(dataDir, 'postgres'), onNote);
  if (canEnter(dataDir, account)) return dataDir;
  const home = join(HOME_ELSEWHERE, randomUUID().slice(0, 8));
  try {
    makeEnterable(HOME_ELSEWHERE);
    makeEnterable(home);
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

/**
 * Makes sure that a home elsewhere is used by the DATA_DIR that it was created for.
 *
 * @returns the lock on it; null for DATA_DIR itself, which has its own
 * @throws LaunchError when another DATA_DIR uses it, of which this one is a copy
 */
export function claimHome(home: string, dataDir: string): LockFile | null {
  if (home === dataDir) return null;
  if (!existsSync(home))
    throw new LaunchError(`The database of ${dataDir} was in ${home}, which does not exist.`);
  // The parent may have been left closed by the umask of an earlier release.
  makeEnterable(HOME_ELSEWHERE);
  const [self, owner] = [realpathSync(dataDir), ownerOf(home)];
  if (owner !== self && usesHome(owner, home)) {
    throw new LaunchError(
      `${dataDir} is a copy of ${owner}, and the database of both is in ${home}, which was not copied. Set DATA_DIR to ${owner}, or make the copy with "greenroom backup" and "greenroom restore".`,
    );
  }
  const lock = LockFile.open(join(home, 'launcher.lock'));
  if (!lock.tryLock())
    throw new LaunchError(`Another Greenroom is already running on the database in ${home}.`);
  writeFileSync(join(home, OWNER), self);
  return lock;
}

/** A file in a home elsewhere: the path of its DATA_DIR. */
const OWNER = 'data-dir';

function ownerOf(home: string): string {
  const file = join(home, OWNER);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

/** A DATA_DIR that was moved does not, and one that was copied does. */
function usesHome(dataDir: string, home: string): boolean {
  try {
    const { home: stored } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
      home?: string;
    };
    return dataDir !== '' && homeOf(dataDir, stored) === home;
  } catch {
    return false;
  }
}

/** With any umask: others pass through, which shows them nothing. */
function makeEnterable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, statSync(folder).mode | 0o711);
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
