import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for as long as it lives: a pid alone comes back for another process. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the words of the system; empty where that is unknown. */
  startedAt: string;
}

/** The identity of a running process, or null when there is none with this pid. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  if (!existsProcess(pid)) return null;
  const startedAt = process.platform === 'linux' ? startedAtFromProc(pid) : startedAtFromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether this very process still runs. */
export function isSameProcessRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** The pid of a process's parent; null when that is unknown. */
export function parentOf(pid: number): number | null {
  try {
    return Number(procFields(pid)[1]);
  } catch {
    return null;
  }
}

function existsProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The boot and the clock tick of the start: unique until the next boot, whatever the wall clock does. */
function startedAtFromProc(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = procFields(pid);
    return fields[0] === 'Z' ? null : `${boot}/${fields[19]}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

/** Of `/proc/…/stat`, what follows the name (which may hold anything): the state, the parent, … and the start at index 19. */
function procFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startedAtFromPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return '';
  }
}
