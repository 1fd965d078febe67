import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isSameProcessRunning, type ProcessIdentity } from './process-identity';

/** What a server writes to `postmaster.pid` about itself. */
interface PidFile {
  pid: number;
  ready: boolean;
}

/** The server's pid file, or null when it did not leave one. */
export function readPidFile(clusterFolder: string): PidFile | null {
  try {
    const lines = readFileSync(join(clusterFolder, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : null;
  } catch {
    return null;
  }
}

/**
 * Ends what is left of a server of a launcher that was killed, so that a new one can start on the same data: a server
 * that still runs is stopped in order; a pid file whose pid now belongs to some other process is removed.
 *
 * @returns what had to be done, for people, or null
 */
export async function clearLeftovers(clusterFolder: string): Promise<string | null> {
  const pidFile = readPidFile(clusterFolder);
  const server = pidFile && identifyProcess(pidFile.pid);
  let note: string | null = null;
  if (server && isServerOf(server.pid, clusterFolder)) {
    await endProcess(server, [
      { signal: 'SIGINT', graceMs: 15_000 },
      { signal: 'SIGQUIT', graceMs: 5_000 },
    ]);
    note = `stopped a server (pid ${server.pid}) that an earlier run has left behind`;
  }
  const orphans = processesIn(clusterFolder);
  await Promise.all(orphans.map((orphan) => endProcess(orphan, [{ signal: 'SIGQUIT', graceMs: 2_000 }])));
  if (pidFile) rmSync(join(clusterFolder, 'postmaster.pid'), { force: true });
  return note;
}

/** Sends the signals in order, each with its time to work, and SIGKILL in the end; returns when the process is gone. */
export async function endProcess(
  identity: ProcessIdentity,
  signals: { signal: NodeJS.Signals; graceMs: number }[],
): Promise<void> {
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

function isServerOf(pid: number, clusterFolder: string): boolean {
  const [program, ...args] = commandOf(pid);
  return program === 'postgres' && args.includes(clusterFolder);
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
    .filter((pid) => pid > 0 && workingFolder(pid) === clusterFolder)
    .filter((pid) => /^postgres(:|$)/.test(commandOf(pid)[0] ?? ''))
    .flatMap((pid) => identifyProcess(pid) ?? []);
}

function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
