import { closeSync, existsSync, openSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApplicationRole } from '../../libs/database/common/application-role';
import { whileLate } from '../../libs/database/common/late-database';
import { PostgresClient } from '../../libs/database/common/postgres-client';
import type { BackOff } from './back-off';
import { freePort } from './free-port';
import { LaunchError } from './launch-error';
import { chooseServerAccount, type ServerAccount } from './postgres-account';
import { locatePostgres, packageVersion, POSTGRES_ENV, type PostgresBinaries } from './postgres-binaries';
import { clusterVersion, createCluster, resetPasswords } from './postgres-cluster';
import type { DataDirLock } from './data-dir-lock';
import { LockFile } from './lock-file';
import { refuseNetworkFileSystem } from './network-file-system';
import { claimHome } from './postgres-home';
import { clearLeftovers, readPidFile } from './postgres-leftovers';
import {
  clusterFolder,
  databaseUrls,
  newApplication,
  newSettings,
  readSettings,
  writeSettings,
  type DatabaseUrls,
  type PostgresSettings,
} from './postgres-settings';
import { giveToFolderOwner } from './private-file';
import { SupervisedProcess, type Command } from './supervised-process';

const WAIT_SECS = 120;
const LOG_ROTATION_BYTES = 8 * 1024 * 1024;

interface Reports {
  onNote: (note: string) => void;
  onPid: (pid: number | null) => void;
  backOff?: BackOff;
  /** For a server that responds late after it has said that it is ready. */
  waitSecs?: number;
}

/** A real PostgreSQL server from the package's programs, on the loopback address only, with its data under DATA_DIR. */
export class EmbeddedPostgres {
  private readonly supervisor: SupervisedProcess;
  private readonly stopRequest = new AbortController();
  private readonly logFile: string;
  private settings: PostgresSettings;
  private account: ServerAccount;
  private binaries: PostgresBinaries;
  private homeLock: LockFile | null = null;
  private portIsSettled = false;
  private log = 0;
  /** Where the present server's lines begin in the log. */
  private logStart = 0;

  constructor(
    private readonly dataDir: string,
    private readonly lock: DataDirLock,
    private readonly reports: Reports,
  ) {
    this.logFile = join(dataDir, 'postgres.log');
    this.supervisor = new SupervisedProcess('PostgreSQL', {
      command: () => this.command(),
      whenReady: (child, signal) => this.whenReady(child, signal),
      stopSignals: [
        { signal: 'SIGINT', graceMs: 20_000 },
        { signal: 'SIGQUIT', graceMs: 5_000 },
      ],
      forceSignal: 'SIGQUIT',
      onLine: () => undefined,
      onNote: (note) => reports.onNote(this.withReason(note)),
      onPid: reports.onPid,
      backOff: reports.backOff,
    });
  }

  /**
   * Starts the server, on a first start with a new cluster, and creates the database and the application's role.
   *
   * @throws LaunchError when it cannot be started
   */
  async start(): Promise<DatabaseUrls> {
    await this.prepare();
    rotateLog(this.logFile);
    this.log = openSync(this.logFile, 'a', 0o600);
    giveToFolderOwner(this.logFile);
    await this.supervisor.start();
    this.portIsSettled = true;
    const { onNote, waitSecs = WAIT_SECS } = this.reports;
    const late = { what: 'PostgreSQL', waitSecs, onNote };
    await whileLate(async () => createDatabase(this.settings), late);
    return databaseUrls(this.settings);
  }

  get isRunning(): boolean {
    return this.supervisor.isRunning;
  }

  get port(): number {
    return this.settings.port;
  }

  /** Stops the server: connections are closed, everything committed is on disk. */
  async stop(): Promise<void> {
    this.stopRequest.abort();
    await this.supervisor.stop();
    if (this.log) closeSync(this.log);
    this.homeLock?.close();
  }

  /** Stops the server at once; it repairs its files from the write-ahead log at the next start. */
  force(): void {
    this.stopRequest.abort();
    this.supervisor.force();
  }

  private async prepare(): Promise<void> {
    const known = readSettings(this.dataDir);
    const { onNote } = this.reports;
    this.settings = known ? { application: newApplication(), ...known } : newSettings(this.dataDir, onNote);
    const folder = clusterFolder(this.settings);
    this.homeLock = claimHome(this.settings.home, this.dataDir);
    refuseNetworkFileSystem(this.settings.home);
    this.account = chooseServerAccount(folder, onNote);
    const version = packageVersion();
    this.binaries = locatePostgres(this.account, join(this.settings.home, `postgres-programs-${version}`));
    const { signal } = this.stopRequest;
    const written = clusterVersion(folder);
    if (!written) {
      onNote('first start: making a new database');
      await createCluster(this.binaries, this.settings, this.account, signal);
    } else {
      checkVersion(written, version, folder);
      const leftovers = await this.clearLeftovers(folder);
      if (leftovers) onNote(leftovers);
      if (!known) await this.resetPasswords(signal);
    }
    writeSettings(this.dataDir, this.settings);
  }

  private async clearLeftovers(folder: string): Promise<string | null> {
    return clearLeftovers(folder, (pid) => this.lock.hasOutlived(pid));
  }

  private async resetPasswords(signal: AbortSignal): Promise<void> {
    const { onPid } = this.reports;
    const options = { signal, inherited: this.locks, onSpawn: ({ pid }: ChildProcess) => onPid(pid ?? null) };
    await resetPasswords(this.binaries, this.settings, this.account, options).finally(() => onPid(null));
  }

  /** A process that works on the files keeps the locks, should it outlive this process. */
  private get locks(): number[] {
    return [this.lock.descriptor, ...(this.homeLock ? [this.homeLock.descriptor] : [])];
  }

  private async command(): Promise<Command> {
    const folder = realpathSync(clusterFolder(this.settings));
    await this.clearLeftovers(folder);
    if (!this.portIsSettled) {
      this.settings.port = await freePort('127.0.0.1', this.settings.port);
      writeSettings(this.dataDir, this.settings);
    }
    this.logStart = statSync(this.logFile, { throwIfNoEntry: false })?.size ?? 0;
    return {
      file: this.binaries.postgres,
      args: ['-D', folder, ...serverOptions(this.settings.port)],
      ...this.account,
      cwd: '/',
      env: POSTGRES_ENV,
      stdio: ['ignore', this.log, this.log, ...this.locks],
    };
  }

  private async whenReady(child: ChildProcess, signal: AbortSignal): Promise<void> {
    const folder = clusterFolder(this.settings);
    while (!signal.aborted) {
      const pidFile = readPidFile(folder);
      if (pidFile?.pid === child.pid && pidFile?.ready) return;
      await delay(20);
    }
  }

  /** Adds the server's own last complaint, and where the rest is. */
  private withReason(note: string): string {
    const since = existsSync(this.logFile) ? readFileSync(this.logFile).subarray(this.logStart) : '';
    const complaint = String(since).split('\n').filter(isOwnComplaint).at(-1);
    return `${note}; ${complaint ? `it says: ${complaint.replace(/^.*?(FATAL|PANIC): +/, '')}; ` : ''}log: ${this.logFile}`;
  }
}

/** About the server, not about one of its connections. */
function isOwnComplaint(line: string): boolean {
  return /FATAL|PANIC/.test(line) && !/terminating|shutting down|starting up|authentication/.test(line);
}

/** Settings are on the command line, so that a new version of Greenroom may change them. */
function serverOptions(port: number): string[] {
  const options: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Eight processes of the api with 23 each, a worker with 39, and some: docs/operations.md, "Connections to PostgreSQL".
    max_connections: 240,
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    log_min_messages: 'warning',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function checkVersion(written: string, packaged: string, folder: string): void {
  const major = packaged.split('.')[0];
  if (written === major) return;
  throw new LaunchError(
    `${folder} was written by PostgreSQL ${written}, and this Greenroom brings PostgreSQL ${major}. Dump it with the earlier version, or set another DATA_DIR.`,
  );
}

function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_ROTATION_BYTES) renameSync(file, `${file}.1`);
}

async function createDatabase(settings: PostgresSettings): Promise<void> {
  const { owner } = databaseUrls({ ...settings, database: 'postgres' });
  const client = new PostgresClient({ connectionString: owner });
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      settings.database,
    ]);
    if (rowCount === 0) {
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(settings.database)} TEMPLATE template0`);
    }
    await createApplicationRole(client, databaseUrls(settings).application);
  } finally {
    await client.end().catch(() => undefined);
  }
}
