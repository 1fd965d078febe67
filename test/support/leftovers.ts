import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';

const MOUNTS = '/proc/mounts';
const NAMESPACES = '/run/netns';

const OWNER = process.pid.toString(36);
/** The device of a disk that this process makes for its tests. */
export const DISK_DEVICE = `greenroom-test-${OWNER}`;
/** What the name of a network begins with that this process makes; short, as interfaces are named after it. */
export const NAMESPACE_PREFIX = `grt-${OWNER}-`;

/** Takes away the disks and networks of test processes that were killed. */
export function clearLeftovers(): void {
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, 'utf8') : '';
  for (const [, owner, path] of mounts.matchAll(/^greenroom-test-(\w+) (\S+) tmpfs /gm)) {
    if (!isGone(owner!)) continue;
    execFileSync('umount', ['--lazy', path!]);
    rmSync(path!, { recursive: true, force: true });
  }
  const namespaces = existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : [];
  for (const name of namespaces) {
    const owner = /^grt-([0-9a-z]{1,5})-[0-9a-z]{1,3}$/.exec(name)?.[1];
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
