import { AppConfig } from '@app/config/app-config';
import { redisTarget, type RedisTarget } from '@app/connections/redis-client';
import { dataSourceOptions } from '@app/database/data-source';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LimitStore } from './limit-store';
import { PostgresLimitStore } from './postgres-limit-store';
import { RedisLimitStore } from './redis-limit-store';

export const LIMIT_STORE = Symbol('limit store');

/** Connections that nothing but limits uses, so that no limit waits for other work of the process. */
const POOL_SIZE = 2;
/** The request of a statement that takes longer has stopped waiting for it. */
const STATEMENT_MS = 1_000;

/** Where limits are counted: Redis when one is configured, otherwise PostgreSQL. */
export const LIMIT_STORE_PROVIDER: Provider = {
  provide: LIMIT_STORE,
  inject: [AppConfig],
  useFactory: async (config: AppConfig): Promise<LimitStore> => {
    const redis = redisTarget(config);
    return redis ? connectToRedis(redis) : connectToPostgres(config.requireDatabaseUrl());
  },
};

async function connectToRedis(target: RedisTarget): Promise<LimitStore> {
  const store = new RedisLimitStore(target);
  // Or else the first requests of a process would be counted by it alone.
  await store.connect();
  return store;
}

async function connectToPostgres(databaseUrl: string): Promise<LimitStore> {
  const options = dataSourceOptions(databaseUrl, {
    applicationName: 'greenroom-limits',
    poolSize: POOL_SIZE,
  });
  const dataSource = new DataSource({
    ...options,
    entities: [],
    migrations: [],
    connectTimeoutMS: STATEMENT_MS,
    extra: { ...options.extra, statement_timeout: STATEMENT_MS, query_timeout: 2 * STATEMENT_MS },
  });
  return new PostgresLimitStore(await dataSource.initialize(), () => dataSource.destroy());
}
