import { childEnvironment, type AppConfig } from '@app/config/app-config';
import { PROJECT_ROOT } from '@app/config/project-root';
import { whileLate } from '@app/database/common/late-database';
import { describeRelease } from '@app/database/schema/release';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareDataDir } from './data-dir';
import { DataDirLock } from './data-dir-lock';
import { EmbeddedPostgres } from './embedded-postgres';
import { firstCommands, firstRunFile, type FirstRun } from './first-run';
import { serveWithoutOutput } from './lost-output';
import { prepareDatabase, stopDeadlineMs, superviseNodeChild } from './node-child';
import { baseUrlOf, checkMigrationDatabase, checkPort, checkRedis, checkReportPorts } from './preflight';
import type { DatabaseUrls } from './postgres-settings';
import { ProcessGuard } from './process-guard';
import { runSelfCheck } from './self-check';
import { StopRequest, whenAborted } from './stop-request';
import { installationSecret, type InstallationSecret } from './installation-secret';
import type { SupervisedProcess } from './supervised-process';
import { Terminal } from './terminal';

const READY_DEADLINE_MS = 60_000;
const ENV_FILE_NOTE =
  'the file .env in this folder is not read; for its variables, run "set -a; . ./.env; set +a" before the start';

const CHILDREN = ['api', 'worker'] as const;
type ChildName = (typeof CHILDREN)[number];

/** What `npm run dev` sends after a build: who has new code. Everything else stays. */
interface NewBuild {
  restart: ChildName[];
}

/** Brings the whole of Greenroom up, keeps it running, and takes it down in order. */
export class Launcher {
  private readonly startedAt = Date.now();
  private readonly stop = new StopRequest(() => this.force());
  private readonly children = new Map<ChildName, SupervisedProcess>();
  private dataDir: string;
  private lock: DataDirLock | null = null;
  private guard: ProcessGuard | null = null;
  private postgres: EmbeddedPostgres | null = null;

  constructor(
    private readonly config: AppConfig,
    /** The script that runs `api`, `worker` and `seed`. */
    private readonly entry: string = join(PROJECT_ROOT, 'dist/src/main.js'),
    private readonly terminal: Terminal = new Terminal(config.logFormat),
  ) {}

  /**
   * Runs until it receives a request to stop.
   *
   * @throws LaunchError when something is in the way of a start; what had been started is stopped again
   */
  async run(): Promise<void> {
    serveWithoutOutput();
    const up = this.bringUp();
    try {
      await Promise.race([up, whenAborted(this.stop.signal)]);
      await whenAborted(this.stop.signal);
    } catch (error) {
      // A start that was cut short fails somewhere, and that needs no message.
      if (!this.stop.signal.aborted) throw error;
    } finally {
      await this.takeDown(up);
    }
  }

  private async bringUp(): Promise<void> {
    this.dataDir = prepareDataDir(this.config.dataDir);
    this.lock = await DataDirLock.acquire(this.dataDir, (note) => this.say(note));
    const port = await checkPort(this.config.host, this.config.port);
    await checkReportPorts(this.config);
    await checkRedis(this.config);
    if (this.config.databaseUrl) await this.whileLate(async () => checkMigrationDatabase(this.config));
    this.guard = new ProcessGuard(this.lock, stopDeadlineMs('api', this.config));
    this.say(`Greenroom ${describeRelease()}, data in ${this.dataDir}`);
    if (existsSync('.env')) this.say(ENV_FILE_NOTE);
    const urls = this.configuredDatabase() ?? (await this.startPostgres(this.lock, this.guard));
    const { appSecret, appSecretPrevious: previous } = this.config;
    const secret = await this.whileLate(async () =>
      installationSecret(appSecret, this.dataDir, urls.owner, { create: true, previous }),
    );
    const env = this.environment(urls.application, port, secret);
    const firstRun = await this.prepare({ ...env, MIGRATION_DATABASE_URL: urls.owner }, this.guard);
    const baseUrl = baseUrlOf(this.config.host, port);
    await this.startChildren(env, this.guard, baseUrl);
    this.lock.update({ baseUrl });
    if (firstRun) await this.welcome(firstRun);
  }

  private async whileLate<T>(run: () => Promise<T>): Promise<T> {
    const { startWaitSecs: waitSecs } = this.config;
    return whileLate(run, { what: 'the database', waitSecs, onNote: (note) => this.say(note), away: true });
  }

  private configuredDatabase(): DatabaseUrls | null {
    const { databaseUrl } = this.config;
    if (!databaseUrl) return null;
    return { application: databaseUrl, owner: this.config.requireMigrationDatabaseUrl() };
  }

  private async startPostgres(lock: DataDirLock, guard: ProcessGuard): Promise<DatabaseUrls> {
    const startedAt = Date.now();
    this.stop.signal.throwIfAborted();
    this.postgres = new EmbeddedPostgres(this.dataDir, lock, {
      onNote: (note) => this.terminal.line('postgres', this.terminal.paint(33, note)),
      onPid: (pid) => guard.watch('postgres', pid),
      waitSecs: this.config.startWaitSecs,
    });
    const urls = await this.postgres.start();
    this.terminal.line('postgres', `ready on 127.0.0.1:${this.postgres.port} in ${secondsSince(startedAt)}`);
    return urls;
  }

  private environment(
    databaseUrl: string,
    port: number,
    { secret, previous }: InstallationSecret,
  ): NodeJS.ProcessEnv {
    return childEnvironment({
      DATABASE_URL: databaseUrl,
      // Not for the api and the worker.
      MIGRATION_DATABASE_URL: '',
      DATA_DIR: this.dataDir,
      APP_SECRET: secret,
      APP_SECRET_PREVIOUS: previous ?? '',
      PORT: String(port),
      LOG_FORMAT: 'json',
    });
  }

  private async prepare(env: NodeJS.ProcessEnv, guard: ProcessGuard): Promise<FirstRun | null> {
    const { applied, firstRun } = await prepareDatabase({
      entry: this.entry,
      env,
      signal: this.stop.signal,
      onPid: (pid) => guard.watch('preparation', pid),
    });
    if (applied.length > 0) this.say(`migrated the database: ${applied.join(', ')}`);
    return firstRun;
  }

  private async startChildren(env: NodeJS.ProcessEnv, guard: ProcessGuard, baseUrl: string): Promise<void> {
    this.stop.signal.throwIfAborted();
    for (const name of CHILDREN) {
      const stopMs = stopDeadlineMs(name, this.config);
      const onPid = (pid: number | null) => guard.watch(name, pid);
      const { entry, terminal } = this;
      const waitMs = this.config.startWaitSecs * 1_000;
      this.children.set(name, superviseNodeChild({ name, entry, env, stopMs, waitMs, terminal, onPid }));
    }
    await Promise.all([...this.children.values()].map((child) => child.start()));
    await this.whenResponding(baseUrl);
    if (process.connected) process.on('message', ({ restart }: NewBuild) => this.restart(restart));
    this.say(`ready at ${baseUrl} in ${secondsSince(this.startedAt)} (Ctrl-C stops everything)`);
  }

  private async whenResponding(baseUrl: string): Promise<void> {
    const deadline = Date.now() + READY_DEADLINE_MS;
    while (!(await responses(`${baseUrl}/readyz`)) && Date.now() < deadline) {
      await delay(100, undefined, { signal: this.stop.signal });
    }
    if (Date.now() >= deadline) this.say(`${baseUrl}/readyz does not respond 200 yet; still running`);
  }

  private async welcome(firstRun: FirstRun): Promise<void> {
    const { terminal } = this;
    this.say(`a demo account with an API key is in ${firstRunFile(this.dataDir)}; it is shown once:`);
    terminal.plain(
      `\n  base URL  ${firstRun.base_url}\n  API key   ${firstRun.api_key}\n${describeAdmin(firstRun)}`,
    );
    for (const { title, command } of firstCommands(firstRun)) terminal.plain(`${title}\n${command}\n`);
    await runSelfCheck(firstRun, this.stop.signal, (line) => terminal.line('self-check', line));
  }

  private restart(names: readonly ChildName[]): void {
    this.say(`new build: starting ${names.join(' and ')} again`);
    for (const name of names) void this.children.get(name)?.restart();
  }

  private async takeDown(up: Promise<void>): Promise<void> {
    if (this.children.size > 0) this.say('stopping api and worker');
    await Promise.all([...this.children.values()].map((child) => child.stop()));
    if (this.postgres?.isRunning) this.say('stopping PostgreSQL');
    await this.postgres?.stop();
    await up.catch(() => undefined);
    await this.guard?.dismiss();
    this.lock?.release();
    if (this.guard) this.say('stopped');
  }

  private force(): void {
    this.say('stopping at once');
    for (const child of this.children.values()) child.force();
    this.postgres?.force();
  }

  private say(text: string): void {
    this.terminal.line('greenroom', text);
  }
}

async function responses(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function secondsSince(startedAt: number): string {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

function describeAdmin({ admin_email, admin_password }: FirstRun): string {
  return admin_email ? `  admin     ${admin_email}, password ${admin_password}\n` : '';
}
