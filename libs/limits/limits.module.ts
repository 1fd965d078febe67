import { Module } from '@nestjs/common';
import { GenerationSlots } from './generation-slots';
import { LIMIT_STORE, LIMIT_STORE_PROVIDER } from './limit-store.provider';
import { RequestLimiter } from './request-limiter';

/** Limits on requests per minute and on concurrent generations. */
@Module({
  providers: [GenerationSlots, LIMIT_STORE_PROVIDER, RequestLimiter],
  exports: [GenerationSlots, LIMIT_STORE, RequestLimiter],
})
export class LimitsModule {}
