import { AppConfig } from '@app/config/app-config';
import { PostgresLimitStore } from './postgres-limit-store';
import { redisTarget } from '@app/connections/redis-client';
import type { Provider } from '@nestjs/common';
import type { LimitStore } from './limit-store';
import { RedisLimitStore } from './redis-limit-store';

export const LIMIT_STORE = Symbol('limit store');

/** Where limits are counted: Redis when one is configured, otherwise PostgreSQL. */
export const LIMIT_STORE_PROVIDER: Provider = {
  provide: LIMIT_STORE,
  inject: [AppConfig, PostgresLimitStore],
  useFactory: async (config: AppConfig, inPostgres: PostgresLimitStore): Promise<LimitStore> => {
    const redis = redisTarget(config);
    if (!redis) return inPostgres;
    const store = new RedisLimitStore(redis);
    // Or else the first requests of a process would not be limited.
    await store.connect();
    return store;
  },
};
