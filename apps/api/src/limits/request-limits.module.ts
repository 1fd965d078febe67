import { LimitsModule } from '@app/limits/limits.module';
import { Module } from '@nestjs/common';
import { RequestLimitHook } from './request-limit.hook';

/** The limit on requests per minute, as requests meet it. */
@Module({
  imports: [LimitsModule],
  providers: [RequestLimitHook],
})
export class RequestLimitsModule {}
