import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { IdempotentRequests } from './idempotency';
import { RouteTable } from './route-table';
import { StaffCreations } from './staff-creations';
import { StaffNames } from './staff-names';

/** The table of routes, requests that may be sent again, and the names of staff. */
@Module({
  imports: [DatabaseModule],
  providers: [IdempotentRequests, RouteTable, StaffCreations, StaffNames],
  exports: [IdempotentRequests, RouteTable, StaffNames],
})
export class HttpModule {}
