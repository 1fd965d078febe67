import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Produces } from '../http/produces';
import { RequireStaff } from '../http/staff-access';
import {
  AccountUsageQuery,
  readDays,
  toAccountUsageResponse,
  toForecastResponse,
  toUsageByDayResponse,
  toUsageCsv,
  toUsageCsvBy,
  UsageByDayQuery,
  UsageExportQuery,
  type AccountUsageResponse,
  type UsageByDayResponse,
  type UsageForecastResponse,
} from './usage.dto';
import { UsageService } from './usage.service';

@Controller('admin/accounts/:account_id/usage')
export class StaffUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get() // Get the usage of an account over time
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Query() query: AccountUsageQuery,
  ): Promise<AccountUsageResponse> {
    const days = readDays(query, new Date());
    const usage = await this.usage.getAccountUsage({ accountId, keyId: query.key_id ?? null }, days, query);
    return toAccountUsageResponse(usage, days);
  }

  /** CSV by day, and by key and operation or by what `by` says. */
  @Get('export') // Export the usage of an account by day as CSV
  @Produces('text/csv')
  @RequireStaff('accounts.read')
  async export(
    @Param('account_id') accountId: string,
    @Query() { by, ...query }: UsageExportQuery,
  ): Promise<StreamableFile> {
    const days = readDays(query, new Date());
    const lines = by
      ? toUsageCsvBy(await this.usage.exportUsageBy(accountId, days, by), by)
      : toUsageCsv(await this.usage.exportUsage(accountId, days));
    return new StreamableFile(Readable.from(lines), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="usage-${days.from}-${days.to}.csv"`,
    });
  }

  @Get('by-day') // Get the usage of an account by day, as series
  @RequireStaff('accounts.read')
  async getByDay(
    @Param('account_id') accountId: string,
    @Query() query: UsageByDayQuery,
  ): Promise<UsageByDayResponse> {
    const days = readDays(query, new Date());
    const usage = await this.usage.getUsageByDay(accountId, days, query.by);
    return toUsageByDayResponse(usage, query.by, days);
  }

  @Get('forecast') // Get when the credits of an account run out at its pace
  @RequireStaff('accounts.read')
  async getForecast(@Param('account_id') accountId: string): Promise<UsageForecastResponse> {
    return toForecastResponse(await this.usage.forecast(accountId, new Date()));
  }
}
