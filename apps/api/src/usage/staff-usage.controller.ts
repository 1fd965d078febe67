import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { AccountUsageQuery, readDays, toAccountUsageResponse, type AccountUsageResponse } from './usage.dto';
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
    const days = readDays(query, new Date());
    const usage = await this.usage.getAccountUsage({ accountId, keyId: query.key_id ?? null }, days, query);
    return toAccountUsageResponse(usage, days);
  }
}
