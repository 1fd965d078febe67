import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRunningCluster } from '../../src/backup/cluster-copy';
import { prepareDataDir } from '../../src/launcher/data-dir';
import { BackOff } from '../../src/launcher/back-off';
import { DataDirLock } from '../../src/launcher/data-dir-lock';
import { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import { clusterFolder, readSettings, writeSettings } from '../../src/launcher/postgres-settings';
import { ProcessGuard } from '../../src/launcher/process-guard';
import { eventually } from './eventually';
import { makeCertificates, type Certificates } from './certificates';
import { queryAs } from './query-as';
import { TemporaryFolder } from './temporary-folder';

/** However often a test ends it. */
const RESTART_MS = 500;

/** A PostgreSQL of one's own in a temporary folder. It starts again by itself when its process is ended. */
export class OwnPostgres {
  /** As the application's role. */
  url: string;
  /** As the role that owns everything. */
  ownerUrl: string;
  pid: number | null = null;

  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly lock: DataDirLock,
    private readonly guard: ProcessGuard,
    readonly folder: TemporaryFolder,
  ) {}

  /**
   * @param options.diskMb the size of its disk; what is left of the machine's when not given
   * @param options.fill puts into the empty data folder what the server starts with
   */
  static async start(
    onNote: (note: string) => void,
    {
      restartMs = RESTART_MS,
      diskMb,
      fill,
    }: { restartMs?: number; diskMb?: number; fill?: (dataDir: string) => Promise<void> } = {},
  ): Promise<OwnPostgres> {
    const folder = TemporaryFolder.make('greenroom-test-', diskMb);
    const dataDir = prepareDataDir(folder.path);
    await fill?.(dataDir);
    const lock = await DataDirLock.acquire(dataDir, onNote);
    const guard = new ProcessGuard(lock);
    const server = new EmbeddedPostgres(dataDir, lock, {
      onNote,
      onPid: (pid) => postgres.watch(pid),
      backOff: new BackOff(restartMs, restartMs),
    });
    const postgres = new OwnPostgres(server, lock, guard, folder);
    ({ application: postgres.url, owner: postgres.ownerUrl } = await server.start());
    return postgres;
  }

  /** One whose changes can be replicated by tables, not only as a whole. */
  static async startLogical(onNote: (note: string) => void): Promise<OwnPostgres> {
    const postgres = await OwnPostgres.start(onNote);
    await postgres.query(`ALTER SYSTEM SET wal_level = 'logical'`);
    postgres.crash();
    await eventually(async () => {
      const [row] = await postgres.query<{ wal_level: string }>('SHOW wal_level');
      expect(row!.wal_level).toBe('logical');
    });
    return postgres;
  }

  /** Ends it as a crash would: it comes back with what was committed. */
  crash(): void {
    process.kill(this.pid!, 'SIGQUIT');
  }

  /** Has all of its processes stand still: connections stay open, and nothing responds. */
  freeze(): void {
    this.signalAll('SIGSTOP');
  }

  thaw(): void {
    this.signalAll('SIGCONT');
  }

  /** A server that follows this one and takes no writes. */
  async startReplica(onNote: (note: string) => void): Promise<OwnPostgres> {
    const fill = async (dataDir: string) => {
      const settings = readSettings(this.folder.path)!;
      const [from, to] = [this.cluster, clusterFolder({ home: dataDir })];
      await copyRunningCluster(this.ownerUrl, from, to);
      const { user, password, port } = settings;
      const primary = `host=127.0.0.1 port=${port} user=${user} password=${password}`;
      appendFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
      writeFileSync(join(to, 'standby.signal'), '');
      giveTo(from, to);
      writeSettings(dataDir, { ...settings, home: dataDir, port: 0 });
    };
    return OwnPostgres.start(onNote, { fill });
  }

  /** Lets clients encrypt, with a certificate for this machine. */
  async offerTls(): Promise<Certificates> {
    const certificates = makeCertificates(this.folder.path);
    for (const [name, file] of [
      ['ssl_cert_file', certificates.certFile],
      ['ssl_key_file', certificates.keyFile],
    ] as const) {
      const copy = join(this.cluster, name);
      copyFileSync(file, copy);
      chmodSync(copy, 0o600);
      giveTo(this.cluster, copy);
      await this.query(`ALTER SYSTEM SET ${name} = '${copy}'`);
    }
    await this.query('ALTER SYSTEM SET ssl = on');
    await this.query('SELECT pg_reload_conf()');
    return certificates;
  }

  /** Runs a query as the owner. */
  async query<T>(sql: string): Promise<T[]> {
    return queryAs<T>(this.ownerUrl, sql);
  }

  private get cluster(): string {
    return clusterFolder(readSettings(this.folder.path)!);
  }

  /** Stops the server and deletes its data. */
  async stop(): Promise<void> {
    await this.server.stop();
    await this.guard.dismiss();
    this.lock.release();
    this.folder.remove();
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

/** As root the server runs as another user. */
function giveTo(ownersFolder: string, path: string): void {
  const { uid, gid } = statSync(ownersFolder);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${uid}:${gid}`, path]);
}
