import { byStaff } from '@app/administration/audit/audit-actors';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import {
  toBulkChangeResponse,
  toUndoResponse,
  type BulkChangeDetailResponse,
  type BulkChangeResponse,
  type UndoneBulkChangeResponse,
} from './bulk-change.dto';

/** Changes of many keys, each of which can be undone as a whole. */
@Controller('admin/bulk-key-changes')
export class StaffBulkChangesController {
  constructor(private readonly bulk: BulkUndoService) {}

  /** The newest changes. */
  @Get()
  @RequireStaff('keys.read')
  async list(): Promise<{ items: BulkChangeResponse[] }> {
    return { items: (await this.bulk.list()).map(toBulkChangeResponse) };
  }

  @Get(':change_id')
  @RequireStaff('keys.read')
  async get(@Param('change_id') id: string): Promise<BulkChangeDetailResponse> {
    const { change, plan } = await this.bulk.get(id);
    return { ...toBulkChangeResponse(change), undo: toUndoResponse(plan) };
  }

  /** Enables the keys that the change disabled and that were not changed since. */
  @Post(':change_id/undo')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @CurrentStaff() staff: Staff,
    @Param('change_id') changeId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<UndoneBulkChangeResponse> {
    const { receipt, ...plan } = await this.bulk.undo({ actor: byStaff(staff), changeId, reason });
    return { ...toUndoResponse(plan), receipt };
  }

  /** Stops the undo timer: the change stays. */
  @Post(':change_id/keep')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @CurrentStaff() staff: Staff,
    @Param('change_id') changeId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<BulkChangeDetailResponse> {
    await this.bulk.keep({ actor: byStaff(staff), changeId, reason });
    return this.get(changeId);
  }
}
