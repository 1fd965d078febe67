import { Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PostgresLimitStore } from './postgres-limit-store';

/** The counts of limits in PostgreSQL, over the connections of the process, for what cleans them up. */
@Module({
  providers: [
    {
      provide: PostgresLimitStore,
      inject: [getDataSourceToken()],
      useFactory: (dataSource: DataSource) => new PostgresLimitStore(dataSource),
    },
  ],
  exports: [PostgresLimitStore],
})
export class PostgresLimitsModule {}
