import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { AccountUsageQuery, type AccountUsageResponse } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('admin/accounts/:account_id/usage')
export class StaffUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Query() query: AccountUsageQuery,
  ): Promise<AccountUsageResponse> {
    return this.usage.getAccountUsage(accountId, query);
  }
}
