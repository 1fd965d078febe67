import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import {
  readRequestLogBody,
  readUsageTableBody,
  RequestLogBody,
  toRequestTable,
  toUsageTable,
  UsageTableBody,
  type TableResponse,
} from './analytics.dto';
import { AnalyticsService } from './analytics.service';
import { UsageService } from './usage.service';

@Controller('v1/workspace/analytics')
export class PublicAnalyticsController {
  constructor(
    private readonly analytics: AnalyticsService,
    private readonly usage: UsageService,
  ) {}

  @Post('query/usage-by-product-over-time') // Get usage over time, as a table
  @HttpCode(200)
  @RequireScope('workspace_analytics_full_read')
  async getUsage(@CurrentCaller() caller: Caller, @Body() body: UsageTableBody): Promise<TableResponse> {
    const query = readUsageTableBody(body, await this.usage.openedAtMs(caller));
    return toUsageTable(await this.analytics.sumUsage(caller, query), query);
  }

  @Post('requests') // List the requests that were charged, as a table
  @HttpCode(200)
  @RequireScope('workspace_analytics_full_read')
  async listRequests(@CurrentCaller() caller: Caller, @Body() body: RequestLogBody): Promise<TableResponse> {
    return toRequestTable(await this.analytics.listRequests(caller, readRequestLogBody(body)));
  }
}
