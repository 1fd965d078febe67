import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { readDays, TrafficQuery, type AccountTrafficResponse } from './observed-traffic.dto';
import { ObservedTrafficService } from './observed-traffic.service';

@Controller('admin/accounts/:account_id/traffic')
export class StaffAccountTrafficController {
  constructor(private readonly traffic: ObservedTrafficService) {}

  @Get() // Get the requests of an account by day and outcome
  @RequireStaff('keys.read')
  async get(
    @Param('account_id') accountId: string,
    @Query() query: TrafficQuery,
  ): Promise<AccountTrafficResponse> {
    return this.traffic.getOfAccount(accountId, readDays(query));
  }
}
