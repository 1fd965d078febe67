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
  useFactory: (config: AppConfig, inPostgres: PostgresLimitStore): LimitStore => {
    const redis = redisTarget(config);
    return redis ? new RedisLimitStore(redis) : inPostgres;
  },
};
