import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from './launch-error';
import {
  identifyProcess,
  isInSameNamespace,
  isSameProcessRunning,
  type ProcessIdentity,
} from './process-identity';

/** What a server writes to `postmaster.pid` about itself. */
interface PidFile {
  pid: number;
  ready: boolean;
}

/** How a server is stopped: in order, then at once. */
export const SERVER_SIGNALS: Signals = [
  { signal: 'SIGINT', graceMs: 15_000 },
  { signal: 'SIGQUIT', graceMs: 5_000 },
];

type Signals = { signal: NodeJS.Signals; graceMs: number }[];

const pidFileOf = (clusterFolder: string) => join(clusterFolder, 'postmaster.pid');

/** The server's pid file, or null when it did not leave one, or a power cut has left an empty one. */
export function readPidFile(clusterFolder: string): PidFile | null {
  try {
    const lines = readFileSync(pidFileOf(clusterFolder), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : null;
  } catch {
    return null;
  }
}

/**
 * Ends what is left of a server of a launcher that was killed, and removes its pid file, so that a new one can start on the
 * same data. The caller holds the lock on them.
 *
 * @param hasOutlived whether a server with this pid, which cannot be seen from here, has certainly ended
 * @returns what had to be done, for people, or null
 * @throws LaunchError when the pid file may be of a server that runs where this process cannot see it
 */
export async function clearLeftovers(
  clusterFolder: string,
  hasOutlived: (pid: number) => boolean,
): Promise<string | null> {
  const pidFile = readPidFile(clusterFolder);
  const server = pidFile && serverOf(pidFile.pid, clusterFolder);
  if (server) await endProcess(server, SERVER_SIGNALS);
  const orphans = processesIn(clusterFolder);
  await Promise.all(orphans.map((orphan) => endProcess(orphan, [{ signal: 'SIGQUIT', graceMs: 2_000 }])));
  if (pidFile && !server && !hasOutlived(pidFile.pid)) throw mayRunElsewhere(clusterFolder, pidFile);
  rmSync(pidFileOf(clusterFolder), { force: true });
  return server && `stopped a server (pid ${server.pid}) that an earlier run has left behind`;
}

function mayRunElsewhere(clusterFolder: string, { pid }: PidFile): LaunchError {
  const file = pidFileOf(clusterFolder);
  return new LaunchError(
    `${file} says that a PostgreSQL with pid ${pid} runs on these files, and this process can neither see it nor knows that it has ended: it may be in another container. Stop it there, or delete the file when you are sure that it does not run.`,
  );
}

/** Sends the signals in order, each with its time to work, and SIGKILL in the end; returns when the process is gone. */
export async function endProcess(identity: ProcessIdentity, signals: Signals): Promise<void> {
  for (const { signal, graceMs } of [...signals, { signal: 'SIGKILL' as const, graceMs: 5_000 }]) {
    if (!isSameProcessRunning(identity)) return;
    trySignal(identity.pid, signal);
    const deadline = Date.now() + graceMs;
    while (isSameProcessRunning(identity) && Date.now() < deadline) await delay(25);
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just gone.
  }
}

/** The running server with this pid, when these are its files. Elsewhere than on Linux its arguments say so. */
function serverOf(pid: number, clusterFolder: string): ProcessIdentity | null {
  const [program, ...args] = commandOf(pid);
  const isServer =
    process.platform === 'linux'
      ? worksIn(pid, clusterFolder)
      : program === 'postgres' && args.includes(clusterFolder);
  return isServer ? identifyProcess(pid) : null;
}

/** The name of a process's program and its arguments. A server's helpers are named `postgres: …`. */
function commandOf(pid: number): string[] {
  try {
    const words =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).split(/ (?=-)|\n/);
    return words.map((word, index) => (index === 0 ? basename(word) : word.replace(/^-D /, '')));
  } catch {
    return [];
  }
}

/** Server processes work in the cluster's folder. Those of a server that was killed may need a moment to notice. */
function processesIn(clusterFolder: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && worksIn(pid, clusterFolder))
    .flatMap((pid) => identifyProcess(pid) ?? []);
}

/** The same folder, not the same path: a copy, or another container's folder, may have that as well. */
function worksIn(pid: number, clusterFolder: string): boolean {
  if (!/^postgres(:|$)/.test(commandOf(pid)[0] ?? '') || !isInSameNamespace(pid)) return false;
  try {
    const [its, ours] = [statSync(`/proc/${pid}/cwd`), statSync(clusterFolder)];
    return its.dev === ours.dev && its.ino === ours.ino;
  } catch {
    return false;
  }
}
