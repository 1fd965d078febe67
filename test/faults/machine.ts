import { Queue, setDefaultBackendFactory } from 'bullmq';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { childEnvironment, loadConfig, type AppConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { openBackend, QUEUE_PREFIX, queueConnection } from '../../libs/queue/queue-connection';
import { OwnPostgres } from '../support/own-postgres';
import { KeptProcess } from './kept-process';
import { KeptRedis } from './kept-redis';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const APP_SECRET = 'a-secret-of-the-tests-that-nobody-else-uses';

/** Longer than the balancer of a test needs to notice. */
const DRAIN_SECS = 2;

/** What an installation stands on, to be broken: a PostgreSQL and, on that backend, a Redis, both of its own. */
export class Machine {
  private readonly nodes: KeptProcess[] = [];
  private readonly queues: Queue[] = [];

  private constructor(
    readonly postgres: OwnPostgres,
    readonly redis: KeptRedis | null,
    readonly config: AppConfig,
    readonly dataSource: DataSource,
  ) {}

  static async start(): Promise<Machine> {
    setDefaultBackendFactory(openBackend);
    const postgres = await OwnPostgres.start(() => undefined);
    const redis = __QUEUE_BACKEND__ === 'redis' ? await KeptRedis.start() : null;
    await migrateDatabase(postgres.url);
    const config = loadConfig({
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis?.url,
      APP_SECRET,
    });
    const dataSource = await createDataSource(postgres.url, 'test-faults').initialize();
    return new Machine(postgres, redis, config, dataSource);
  }

  /** Starts a script as a process of the installation, which is started again whenever it ends. */
  async startNode(
    name: string,
    script: string,
    { args = [], port = 0 }: { args?: string[]; port?: number } = {},
  ): Promise<KeptProcess> {
    const node = new KeptProcess({
      name,
      file: process.execPath,
      args: [join(__dirname, script), ...args],
      env: childEnvironment({
        DATABASE_URL: this.config.databaseUrl,
        REDIS_URL: this.config.redisUrl ?? '',
        APP_SECRET,
        PORT: `${port}`,
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

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all(this.queues.map((queue) => queue.close()));
    await this.dataSource.destroy();
    await this.redis?.stop();
    await this.postgres.stop();
  }
}
