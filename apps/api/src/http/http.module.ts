import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { IdempotentRequests } from './idempotency';
import { RouteTable } from './route-table';
import { StaffCreations } from './staff-creations';

/** The table of routes, and requests that may be sent again. */
@Module({
  imports: [DatabaseModule],
  providers: [IdempotentRequests, RouteTable, StaffCreations],
  exports: [IdempotentRequests, RouteTable],
})
export class HttpModule {}
