import { Queue, setDefaultBackendFactory } from 'bullmq';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { childEnvironment, loadConfig, type AppConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { openBackend, QUEUE_PREFIX, queueConnection } from '../../libs/queue/queue-connection';
import { clearLeftovers } from '../support/leftovers';
import { OwnPostgres } from '../support/own-postgres';
import { shiftedClock } from '../support/shifted-clock';
import { SupervisedProcess } from './supervised-process';
import { SupervisedRedis } from './supervised-redis';
import { Network } from './network';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

/** Longer than the balancer of a test needs to notice. */
const DRAIN_SECS = 2;

interface MachineOptions {
  networks?: boolean;
  diskMb?: number;
}

interface NodeOptions {
  args?: string[];
  /** Of an api; without one it is a worker. */
  port?: number;
  /** How far its clock jumps when it gets SIGUSR2. */
  clockJumpMs?: number;
}

/** What an installation stands on, to be broken: a PostgreSQL and, on that backend, a Redis, both of its own. */
export class Machine {
  private nodes: SupervisedProcess[] = [];
  private queues: Queue[] = [];

  private constructor(
    readonly postgres: OwnPostgres,
    readonly redis: SupervisedRedis | null,
    readonly config: AppConfig,
    /** As the owner, for what a test inspects or breaks. */
    readonly dataSource: DataSource,
    readonly networks: { api: Network; workers: Network } | null,
  ) {}

  /** With networks, nodes reach everything through them. With a size, PostgreSQL and Redis have disks that can be full. */
  static async start({ networks = false, diskMb }: MachineOptions = {}): Promise<Machine> {
    clearLeftovers();
    setDefaultBackendFactory(openBackend);
    const postgres = await OwnPostgres.start(() => undefined, { diskMb });
    const redis = __QUEUE_BACKEND__ === 'redis' ? await SupervisedRedis.start(diskMb) : null;
    await migrateDatabase(postgres.ownerUrl, postgres.url);
    const config = loadConfig({
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis?.url,
      APP_SECRET,
    });
    const dataSource = await createDataSource(postgres.ownerUrl, 'test-faults').initialize();
    const between = networks && { api: await Network.before(config), workers: await Network.before(config) };
    return new Machine(postgres, redis, config, dataSource, between || null);
  }

  /** Where an api is reached. */
  get apiHost(): string {
    return this.networks?.api.host ?? '127.0.0.1';
  }

  /** Starts a script as a process of the installation, which is started again whenever it ends. */
  async startNode(
    name: string,
    script: string,
    { args = [], port, clockJumpMs = 0 }: NodeOptions = {},
  ): Promise<SupervisedProcess> {
    const clock = shiftedClock({ jumpMs: clockJumpMs });
    const network = port === undefined ? this.networks?.workers : this.networks?.api;
    const [file, ...command] = [...(network?.prefix ?? []), process.execPath, ...clock.execArgv] as [
      string,
      ...string[],
    ];
    const node = new SupervisedProcess({
      name,
      file,
      args: [...command, join(__dirname, script), ...args],
      env: childEnvironment({
        DATABASE_URL: this.config.databaseUrl,
        REDIS_URL: this.config.redisUrl ?? '',
        ...network?.env,
        ...clock.env,
        APP_SECRET,
        HOST: this.apiHost,
        PORT: `${port ?? 0}`,
        DRAIN_SECS: `${DRAIN_SECS}`,
        LOG_LEVEL: 'log',
        LOG_FORMAT: 'json',
      }),
      ready: /Ready for jobs|Listening on/,
    });
    this.nodes.push(node);
    await node.start();
    return node;
  }

  openQueue(name: string): Queue {
    const queue = new Queue(name, { connection: queueConnection(this.config), prefix: QUEUE_PREFIX });
    queue.on('error', () => undefined);
    this.queues.push(queue);
    return queue;
  }

  /** Ends every process of the installation; what it stands on stays. */
  async stopNodes(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all(this.queues.map((queue) => queue.close()));
    // Connections that were cut silently would keep their places at the server.
    for (const { proxies } of Object.values(this.networks ?? {})) for (const proxy of proxies) proxy.reset();
    this.nodes = [];
    this.queues = [];
  }

  async stop(): Promise<void> {
    await this.stopNodes();
    await this.networks?.api.stop();
    await this.networks?.workers.stop();
    await this.dataSource.destroy();
    await this.redis?.stop();
    await this.postgres.stop();
  }
}
