import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';

const MOUNTS = '/proc/mounts';
const NAMESPACES = '/run/netns';

/** Part of the name of each disk and network that this process makes for its tests. */
export const OWNER = process.pid.toString(36);

/** Takes away the disks and networks of test processes that were killed. */
export function clearLeftovers(): void {
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, 'utf8') : '';
  for (const [, owner, path] of mounts.matchAll(/^greenroom-test-(\w+) (\S+) /gm)) {
    if (!isGone(owner!)) continue;
    execFileSync('umount', ['--lazy', path!]);
    rmSync(path!, { recursive: true, force: true });
  }
  const namespaces = existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : [];
  for (const name of namespaces) {
    const owner = /^gr(\w+)-/.exec(name)?.[1];
    if (owner && isGone(owner)) execFileSync('ip', ['netns', 'del', name]);
  }
}

function isGone(owner: string): boolean {
  try {
    process.kill(parseInt(owner, 36), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
