import type { AppConfig } from '@app/config/app-config';
import { on } from 'node:events';
import type { Preparation } from './first-run';
import { LaunchError } from './launch-error';
import { runToEnd } from './run-to-end';
import { SupervisedProcess, type Command } from './supervised-process';
import type { Terminal } from './terminal';

/** What the worker needs for the jobs in hand. */
const WORKER_STOP_MS = 15_000;
/** The longest request, and a little. */
const REQUEST_MS = 27_000;

/** A message of a child that is ready for work. */
export const READY = 'ready';

/**
 * Makes the C library give the memory of large buffers back at once: recordings come and go in buffers of up to 100 MB,
 * which it would keep for the next one. Read by glibc only, and before a process begins.
 */
export const FRUGAL_MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** How long the api or the worker may take to stop in order. */
export function stopDeadlineMs(name: 'api' | 'worker', { drainSecs }: Pick<AppConfig, 'drainSecs'>): number {
  return name === 'api' ? drainSecs * 1_000 + REQUEST_MS : WORKER_STOP_MS;
}

interface NodeChildOptions {
  name: 'api' | 'worker';
  entry: string;
  env: NodeJS.ProcessEnv;
  stopMs: number;
  waitMs: number;
  terminal: Terminal;
  onPid: (pid: number | null) => void;
}

/** The api or the worker as a supervised process, its log in the terminal. */
export function superviseNodeChild({
  name,
  entry,
  env,
  stopMs,
  waitMs,
  terminal,
  onPid,
}: NodeChildOptions): SupervisedProcess {
  return new SupervisedProcess(name, {
    command: () => nodeCommand(entry, name, env),
    whenReady: async (child, signal) => {
      for await (const [message] of on(child, 'message', { signal })) if (message === READY) return;
    },
    stopSignals: [{ signal: 'SIGTERM', graceMs: stopMs }],
    forceSignal: 'SIGKILL',
    onLine: (line) => terminal.logLine(name, line),
    onNote: (note) => terminal.line(name, terminal.paint(33, note)),
    onPid,
    waitMs,
  });
}

/** The last channel closes when the launcher is gone. */
function nodeCommand(entry: string, name: string, env: NodeJS.ProcessEnv): Command {
  return {
    file: process.execPath,
    args: [entry, name],
    env: { ...FRUGAL_MEMORY, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  };
}

interface PreparationOptions {
  entry: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  onPid: (pid: number | null) => void;
}

/**
 * Migrates and seeds the database in a separate process, whose memory is free again afterwards.
 *
 * @throws LaunchError with what that process had to say
 */
export async function prepareDatabase(options: PreparationOptions): Promise<Preparation> {
  let result: Preparation | null = null;
  const { code, output } = await runToEnd(nodeCommand(options.entry, 'seed', options.env), {
    signal: options.signal,
    onSpawn: (child) => {
      options.onPid(child.pid ?? null);
      child.on('message', (message) => (result = message as Preparation));
    },
  }).finally(() => options.onPid(null));
  if (code === 0 && result) return result;
  const lines = output.trimEnd().split('\n');
  // With LOG_LEVEL=debug, the places in the code follow it.
  const said = lines.find((line) => line.startsWith('greenroom: ')) ?? lines.at(-1);
  const reason = said?.replace(/^greenroom: /, '');
  throw new LaunchError(`The database cannot be prepared: ${reason || `exit code ${code}`}`);
}
