import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '@app/config/app-config';
import type { VariableName } from '@app/config/variables';
import { eventually } from '../support/eventually';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

export const PROJECT = join(__dirname, '../..');
export const STAND_IN_LAUNCHER = join(__dirname, 'stand-ins/run-launcher.cjs');
const GREENROOM = join(PROJECT, 'dist/src/main.js');

/** How long a launcher may take that makes a database: half a minute on a machine that is busy with other suites was too little. */
const READY_MS = 180_000;

type Variables = Partial<Record<VariableName, string>>;

/** A process under test: what it has printed so far, and how it ended. */
export class Launched {
  output = '';
  private readonly exit: Promise<number | string>;

  constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (this.output += text));
    this.exit = once(child, 'close').then(([code, signal]) => code ?? signal);
  }

  /** `greenroom` as built. */
  static greenroom(args: string[], variables: Variables = {}): Launched {
    return new Launched(spawnNode([GREENROOM, ...args], variables));
  }

  /** The launcher with stand-ins for its children, on any free port. */
  static start(dataDir: string, variables: Variables = {}): Launched {
    return new Launched(spawnNode([STAND_IN_LAUNCHER], { DATA_DIR: dataDir, PORT: '0', ...variables }));
  }

  /** Any command that runs the launcher with stand-ins. */
  static run(file: string, args: string[], cwd: string, variables: Variables): Launched {
    return new Launched(spawn(file, args, { cwd, env: environment(variables), stdio: 'pipe' }));
  }

  async printed(text: string | RegExp, times = 1, withinMs = 30_000): Promise<string> {
    return eventually(
      () => {
        const found = [...this.output.matchAll(new RegExp(text, 'g'))];
        if (found.length >= times) return found.at(-1)![1] ?? '';
        throw new Error(`"${text}" was not printed ${times} times:\n${this.output}`);
      },
      { withinMs },
    );
  }

  /** @returns the base URL of a launcher that is ready */
  async ready(): Promise<string> {
    return this.printed(/ready at (\S+) in/, 1, READY_MS);
  }

  async ended(): Promise<number | string> {
    return this.exit;
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<number | string> {
    this.child.kill(signal);
    return this.exit;
  }
}

function spawnNode(args: string[], variables: Variables): ChildProcess {
  return spawn(process.execPath, args, { env: environment(variables), stdio: 'pipe' });
}

function environment(variables: Variables): NodeJS.ProcessEnv {
  return childEnvironment({ DATABASE_URL: '', REDIS_URL: '', HOST: '127.0.0.1', ...variables });
}

/** What still runs on behalf of a folder: processes that have it in their command or their environment. */
export function processesOf(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => `${read(pid, 'cmdline')}\0${read(pid, 'environ')}`.includes(folder))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ') }));
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A folder for a test, and the one in it where its greenroom has its data. */
export function makeDataFolder(): { folder: string; dataDir: string } {
  const folder = makeTemporaryFolder();
  return { folder, dataDir: join(folder, 'data') };
}

/** Kills what runs in a folder, and removes it. */
export async function clearFolder(folder: string): Promise<void> {
  for (const { pid } of processesOf(folder)) process.kill(pid, 'SIGKILL');
  await eventually(() => expect(processesOf(folder)).toEqual([]));
  removeFolder(folder);
}
