import { GatesModule } from '@app/gates/gates.module';
import { Module } from '@nestjs/common';
import { RequestLimitHook } from './request-limit.hook';

/** The limit on requests per minute, as requests meet it. */
@Module({
  imports: [GatesModule],
  providers: [RequestLimitHook],
})
export class RequestLimitsModule {}
