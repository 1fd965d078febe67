import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { LaunchError } from './launch-error';

/** The system user that PostgreSQL runs as. Without ids: the one who started Greenroom. */
export interface ServerAccount {
  uid?: number;
  gid?: number;
}

/** Preferred first: the users that database servers usually have. The last one exists everywhere. */
const CANDIDATES = ['postgres', 'greenroom'];
const LAST_RESORT = 'nobody';

/**
 * Chooses the user for PostgreSQL, which refuses to run as root.
 *
 * @param dataFolder a cluster that exists already decides: its owner
 * @param onNote called when a system user is created
 * @throws LaunchError when no unprivileged user can be found or created
 */
export function chooseServerAccount(dataFolder: string, onNote: (note: string) => void): ServerAccount {
  if (process.getuid?.() !== 0) return {};
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const existing = CANDIDATES.map(findUser).find(Boolean);
  if (existing) return existing;
  return createUser('greenroom', onNote) ?? findUser(LAST_RESORT) ?? noUser();
}

function findUser(name: string): ServerAccount | null {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

function createUser(name: string, onNote: (note: string) => void): ServerAccount | null {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name], {
      stdio: 'ignore',
    });
    onNote(`created the system user "${name}" for PostgreSQL, which does not run as root`);
  } catch {
    return null;
  }
  return findUser(name);
}

function noUser(): never {
  throw new LaunchError(
    'PostgreSQL does not run as root, and no other user can be found or created. Start Greenroom as a normal user, or set DATABASE_URL.',
  );
}
