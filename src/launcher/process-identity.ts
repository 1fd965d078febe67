import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process for as long as it lives: a pid alone comes back for another process. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the words of the system; empty where that is unknown. */
  startedAt: string;
}

/** Where the pid of a process is valid. */
export interface ProcessPlace {
  host: string;
  /** The id of the machine's present run; empty where that is unknown. */
  boot: string;
  /** The PID namespace: that of a container, or of the machine; empty where there are none. */
  pidNamespace: string;
}

/** Where this process runs. */
export function processPlace(): ProcessPlace {
  return { host: hostname(), boot: bootId(), pidNamespace: pidNamespaceOf('self') ?? '' };
}

/** Whether pids that are valid there are valid here. A record without a place is checked by its processes alone. */
export function isSamePlace(place: ProcessPlace | undefined): boolean {
  const here = processPlace();
  return !place || (place.boot === here.boot && place.pidNamespace === here.pidNamespace);
}

/** Whether a process that can be seen from here runs in this container, and not in one within it. */
export function isInSameNamespace(pid: number): boolean {
  return pidNamespaceOf(pid) === pidNamespaceOf('self');
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

/** The boot and the clock tick of the start: unique until the next boot, regardless of what the wall clock does. */
function startedAtFromProc(pid: number): string | null {
  try {
    const fields = procFields(pid);
    return fields[0] === 'Z' ? null : `${bootId()}/${fields[19]}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function pidNamespaceOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
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
