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

  static async start(onNote: (note: string) => void): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'));
    // As root the server runs as another user, who must be able to enter.
    chmodSync(folder, 0o755);
    const dataDir = prepareDataDir(folder);
    const guard = new ProcessGuard(DataDirLock.acquire(dataDir));
    const server = new EmbeddedPostgres(dataDir, {
      onNote,
      onPid: (pid) => postgres.watch(pid),
      backOff: new BackOff(RESTART_MS, RESTART_MS),
    });
    const postgres = new OwnPostgres(server, guard, folder);
    postgres.url = await server.start();
    return postgres;
  }

  /** Stops the server and deletes its data. */
  async stop(): Promise<void> {
    await this.server.stop();
    await this.guard.dismiss();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private watch(pid: number | null): void {
    this.pid = pid;
    this.guard.watch('postgres', pid);
  }
}
