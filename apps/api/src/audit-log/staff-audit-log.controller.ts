import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { Page } from '../http/pagination';
import { Produces } from '../http/produces';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  AuditQuery,
  toAuditEventResponse,
  toFilter,
  toNamedResponse,
  type NamedAuditEventResponse,
} from './audit-event.dto';
import { ChainDaysQuery, readDays, toChainDayResponse, type ChainDayResponse } from './chain-verdict.dto';
import { AuditLogService } from './audit-log.service';

@Controller('admin/audit-log')
export class StaffAuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get() // List events of the audit log
  @RequireStaff('audit.read_own_actions')
  async list(
    @CurrentStaff() staff: Staff,
    @Query() query: AuditQuery,
  ): Promise<Page<NamedAuditEventResponse>> {
    const { page, names } = await this.auditLog.list(staff, toFilter(query), query);
    return { ...page, items: page.items.map(toNamedResponse(names)) };
  }

  /** One event a line (JSON Lines), as long as the log is. */
  @Get('export') // Export events of the audit log
  @Produces('application/jsonl')
  @RequireStaff('audit.read_own_actions')
  async export(@CurrentStaff() staff: Staff, @Query() query: AuditQuery): Promise<StreamableFile> {
    const events = await this.auditLog.export(staff, toFilter(query));
    return new StreamableFile(Readable.from(toLines(events)), {
      type: 'application/jsonl; charset=utf-8',
      disposition: 'attachment; filename="audit-log.jsonl"',
    });
  }

  @Get('heads') // Get the latest link of the audit chain of each day
  @RequireStaff('audit.read_all')
  async heads(): Promise<{ items: AuditHead[] }> {
    return { items: await this.auditLog.listHeads() };
  }

  /** Whether the events of each day are those that were written. */
  @Get('verify') // Verify the audit chain of each day
  @RequireStaff('audit.read_all')
  async verify(@Query() query: ChainDaysQuery): Promise<{ items: ChainDayResponse[] }> {
    const { first, last } = readDays(query);
    return { items: (await this.auditLog.verifyDays(first, last)).map(toChainDayResponse) };
  }
}

async function* toLines(events: AsyncIterable<AuditEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(toAuditEventResponse(event))}\n`;
}
