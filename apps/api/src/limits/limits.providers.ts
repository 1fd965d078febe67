import { GenerationSlots } from '@app/limits/generation-slots';
import { LIMIT_STORE_PROVIDER } from '@app/limits/limit-store.provider';
import { PostgresLimitStore } from '@app/limits/postgres-limit-store';
import { RequestLimiter } from '@app/limits/request-limiter';
import { GateStores } from '@app/gates/gate-stores';
import { RequestLimitHook } from './request-limit.hook';

/** Limits on requests per minute and on concurrent generations, for the api's module. */
export const LIMIT_PROVIDERS = [
  GateStores,
  GenerationSlots,
  LIMIT_STORE_PROVIDER,
  PostgresLimitStore,
  RequestLimiter,
  RequestLimitHook,
];
