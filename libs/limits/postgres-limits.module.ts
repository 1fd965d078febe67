import { Module } from '@nestjs/common';
import { PostgresLimitStore } from './postgres-limit-store';

/** The counts of limits in PostgreSQL, for those who tidy them. */
@Module({
  providers: [PostgresLimitStore],
  exports: [PostgresLimitStore],
})
export class PostgresLimitsModule {}
