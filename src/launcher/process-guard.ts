import { spawn, type ChildProcess } from 'node:child_process';
import type { DataDirLock } from './data-dir-lock';
import { reasonOf } from './launch-error';
import { identifyProcess } from './process-identity';

type Part = 'postgres' | 'api' | 'worker' | 'preparation';

/**
 * Ends what the launcher started when the launcher itself is killed and cannot do so.
 *
 * A shell reads the launcher's processes from a pipe: the last line counts, database first. The pipe closes with the
 * launcher, however it ends; then the shell lets the others finish (they notice it), and stops the database.
 */
const SCRIPT = `
deadline=$1
last=
while IFS= read -r line; do last=$line; done
set -- $last
[ $# -gt 0 ] || exit 0
database=$1
shift
tries=0
for pid in "$@"; do
  while kill -0 "$pid" && [ $tries -lt $deadline ]; do tries=$((tries + 1)); sleep 0.1; done
  kill -KILL "$pid"
done
[ "$database" = 0 ] || kill -INT "$database"
`;

/** Keeps what the launcher runs from outliving it. */
export class ProcessGuard {
  private readonly shell: ChildProcess;
  private readonly pids = new Map<Part, number>();
  private readonly gone: Promise<void>;

  /** @param stopMs how long those that are not the database may take to finish */
  constructor(
    private readonly lock: DataDirLock,
    stopMs = 0,
  ) {
    const tenths = String(Math.ceil(stopMs / 100));
    this.shell = spawn('/bin/sh', ['-c', SCRIPT, 'greenroom-guard', tenths], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
    });
    this.gone = new Promise((resolve) => {
      this.shell.once('exit', () => resolve()).once('error', () => resolve());
    });
    this.shell.stdin?.on('error', () => undefined);
  }

  /** Gives the guard, and through the lock the next launcher, the pid of a part, or that the part does not run. */
  watch(part: Part, pid: number | null): void {
    if (pid === null) this.pids.delete(part);
    else this.pids.set(part, pid);
    const { postgres = 0, ...others } = Object.fromEntries(this.pids);
    const children = Object.values(others);
    this.shell.stdin?.write(this.pids.size > 0 ? `${[postgres, ...children].join(' ')}\n` : '\n');
    this.record(children, postgres);
  }

  /** For a launcher that starts after this one was killed together with its guard. A full disk must not end what is watched. */
  private record(children: number[], postgres: number): void {
    const server = postgres === 0 ? null : identifyProcess(postgres);
    try {
      this.lock.update({
        children: children.flatMap((child) => identifyProcess(child) ?? []),
        // The last one stays: until it has stopped in order, the files name it.
        ...(server && { server }),
      });
    } catch (error) {
      process.stderr.write(`greenroom: the lock could not be written: ${reasonOf(error)}\n`);
    }
  }

  /** Nothing is left to guard: ends the guard too. */
  async dismiss(): Promise<void> {
    this.shell.stdin?.end('\n');
    await this.gone;
  }
}
