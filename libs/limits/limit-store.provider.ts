import { AppConfig } from '@app/config/app-config';
import { redisTarget, type RedisTarget } from '@app/connections/redis-client';
import type { PostgresPool } from '@app/database/common/postgres-pool';
import { dataSourceOptions } from '@app/database/data-source';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { LimitStore } from './limit-store';
import { PostgresLimitStore } from './postgres-limit-store';
import { RedisLimitStore } from './redis-limit-store';

export const LIMIT_STORE = Symbol('limit store');

/** Connections that nothing but limits uses, so that no limit waits for other work of the process. */
const POOL_SIZE = 2;
/** The request of a statement that takes longer, or waits longer for a connection, has stopped waiting for it. */
const STATEMENT_MS = 1_000;

export const LIMIT_STORE_PROVIDER: Provider = {
  provide: LIMIT_STORE,
  inject: [AppConfig],
  useFactory: openLimitStore,
};

/** Connects to where limits are counted: Redis when one is configured, otherwise PostgreSQL. */
export async function openLimitStore(config: AppConfig): Promise<LimitStore> {
  const redis = redisTarget(config);
  return redis ? connectToRedis(redis) : connectToPostgres(config.requireDatabaseUrl());
}

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
    extra: { ...options.extra, statement_timeout: STATEMENT_MS, query_timeout: 2 * STATEMENT_MS },
  });
  // A process that starts is busy, and connects as patiently as it does to everything else.
  await dataSource.initialize();
  ((dataSource.driver as PostgresDriver).master as PostgresPool).waitMs = STATEMENT_MS;
  return new PostgresLimitStore(dataSource, () => dataSource.destroy());
}
