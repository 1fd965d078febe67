import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataDir } from '../../src/launcher/data-dir';
import { BackOff } from '../../src/launcher/back-off';
import { DataDirLock } from '../../src/launcher/data-dir-lock';
import { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import { ProcessGuard } from '../../src/launcher/process-guard';

/** However often a test ends it. */
const RESTART_MS = 500;

/** A PostgreSQL of one's own in a temporary folder. It starts again by itself when its process is ended. */
export class OwnPostgres {
  url: string;
  pid: number | null = null;

  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly guard: ProcessGuard,
    private readonly folder: string,
  ) {}

  static async start(onNote: (note: string) => void, { restartMs = RESTART_MS } = {}): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'));
    // As root the server runs as another user, who must be able to enter.
    chmodSync(folder, 0o755);
    const dataDir = prepareDataDir(folder);
    const guard = new ProcessGuard(DataDirLock.acquire(dataDir));
    const server = new EmbeddedPostgres(dataDir, {
      onNote,
      onPid: (pid) => postgres.watch(pid),
      backOff: new BackOff(restartMs, restartMs),
    });
    const postgres = new OwnPostgres(server, guard, folder);
    postgres.url = await server.start();
    return postgres;
  }

  /** Ends it as a crash would: it comes back with what was committed. */
  crash(): void {
    process.kill(this.pid!, 'SIGQUIT');
  }

  /** Has all of its processes stand still: connections stay open, and nothing is answered. */
  freeze(): void {
    this.signalAll('SIGSTOP');
  }

  thaw(): void {
    this.signalAll('SIGCONT');
  }

  /** Stops the server and deletes its data. */
  async stop(): Promise<void> {
    await this.server.stop();
    await this.guard.dismiss();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private signalAll(name: 'SIGSTOP' | 'SIGCONT'): void {
    const server = this.pid!;
    const children = execFileSync('pgrep', ['-P', `${server}`])
      .toString()
      .trim()
      .split('\n');
    for (const pid of [server, ...children.map(Number)]) process.kill(pid, name);
  }

  private watch(pid: number | null): void {
    this.pid = pid;
    this.guard.watch('postgres', pid);
  }
}
