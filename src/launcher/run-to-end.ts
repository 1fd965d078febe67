import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Command } from './supervised-process';

interface Ended {
  /** The exit code; null when it was ended by a signal. */
  code: number | null;
  /** Everything it has printed, standard output first. */
  output: string;
}

/**
 * Runs a program to its end. When the signal aborts, it is killed with everything it has started.
 *
 * @param input what it reads from standard input, when its `stdio` has a pipe there
 * @returns when it is gone, however it has ended
 * @throws the system's error when it cannot be run
 */
export async function runToEnd(
  command: Command,
  { signal, input = '', onSpawn }: RunOptions,
): Promise<Ended> {
  signal.throwIfAborted();
  const { file, args, ...options } = command;
  const child = spawn(file, args, { ...options, detached: true });
  // The first ends the wait below; a later one changes nothing.
  child.on('error', () => undefined);
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  onSpawn?.(child);
  child.stdin?.on('error', () => undefined).end(input);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const outputs = Promise.all(streams.map(async (stream) => text(stream)));
  // Awaited when the program has ended.
  outputs.catch(() => undefined);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output: (await outputs).join('') };
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

export interface RunOptions {
  signal: AbortSignal;
  input?: string;
  onSpawn?: (child: ChildProcess) => void;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just gone.
  }
}
