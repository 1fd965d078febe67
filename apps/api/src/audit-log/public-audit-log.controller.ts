import type { Caller } from '@app/domain/keys/caller';
import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import {
  AccountAuditQuery,
  toAccountFilter,
  toAuditEntriesResponse,
  type AuditEntriesResponse,
} from './account-audit-log.dto';
import { AccountAuditLogService } from './account-audit-log.service';

@Controller('v1/workspace/audit-logs')
export class PublicAuditLogController {
  constructor(private readonly auditLog: AccountAuditLogService) {}

  @Get() // List the events of the account
  @RequireScope('audit_log_read')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: AccountAuditQuery,
  ): Promise<AuditEntriesResponse> {
    const page = { cursor: query.cursor, limit: Number(query.limit) };
    return toAuditEntriesResponse(await this.auditLog.list(caller, toAccountFilter(query), page));
  }
}
