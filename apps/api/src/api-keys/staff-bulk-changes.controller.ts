import { byStaff } from '@app/administration/audit/audit-actors';
import { BulkChangesService } from '@app/administration/keys/bulk-changes.service';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { MayWait } from '../approvals/may-wait';
import { Action, type ActionByStaff } from '../http/change';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { toDueAt } from '../http/undo-minutes';
import { ApiKeyFilterQuery, toNarrowFilter } from './api-key-query.dto';
import {
  BulkChangeBody,
  BulkEditBody,
  toBulkChangeResponse,
  toBulkEdit,
  toBulkOutcomeResponse,
  toBulkPlanResponse,
  toUndoResponse,
  type BulkChangeDetailResponse,
  type BulkChangeResponse,
  type BulkOutcomeResponse,
  type BulkPlanResponse,
  type UndoneBulkChangeResponse,
} from './bulk-change.dto';

/** Changes of every key that matches a filter, each of which can be undone as a whole. */
@Controller('admin/bulk-key-changes')
export class StaffBulkChangesController {
  constructor(
    private readonly changes: BulkChangesService,
    private readonly bulk: BulkUndoService,
  ) {}

  /** The newest changes. */
  @Get() // List the newest changes of many API keys
  @RequireStaff('keys.read')
  async list(@CurrentStaff() { boundBy }: Staff): Promise<{ items: BulkChangeResponse[] }> {
    return { items: (await this.bulk.list(boundBy)).map(toBulkChangeResponse) };
  }

  /** What the same change would do: how many keys it would change, and why it would leave others alone. */
  @Post('dry-run') // Try a change of many API keys: how many it would change
  @HttpCode(200)
  @RequireStaff('keys.write')
  async plan(
    @CurrentStaff() staff: Staff,
    @Query() query: ApiKeyFilterQuery,
    @Body() body: BulkEditBody,
  ): Promise<BulkPlanResponse> {
    return toBulkPlanResponse(await this.changes.plan(toNarrowFilter(query, staff), toBulkEdit(body)));
  }

  /** Changes every key that matches, if they are still as many as were confirmed. */
  @Post() // Change many API keys
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write', { confirmed: true })
  async make(
    @CurrentStaff() staff: Staff,
    @Query() query: ApiKeyFilterQuery,
    @Body() body: BulkChangeBody,
  ): Promise<BulkOutcomeResponse> {
    const { reason, confirm, undo_after_minutes } = body;
    const dueAt = toDueAt(undo_after_minutes);
    const request = { filter: toNarrowFilter(query, staff), edit: toBulkEdit(body), reason, confirm, dueAt };
    return toBulkOutcomeResponse(await this.changes.make(byStaff(staff), request));
  }

  @Get(':change_id') // Get a change of many API keys, and what an undo would do
  @RequireStaff('keys.read')
  async get(@Param('change_id') id: string): Promise<BulkChangeDetailResponse> {
    const { change, plan } = await this.bulk.get(id);
    return { ...toBulkChangeResponse(change), undo: toUndoResponse(plan) };
  }

  /** Restores the keys of the change that were not changed since. */
  @Post(':change_id/undo') // Undo a change of many API keys
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write', { confirmed: true })
  async undo(
    @Param('change_id') changeId: string,
    @Action() action: ActionByStaff,
  ): Promise<UndoneBulkChangeResponse> {
    const { receipt, ...plan } = await this.bulk.undo({ ...action, changeId });
    return { ...toUndoResponse(plan), receipt };
  }

  /** Stops the undo timer: the change stays. */
  @Post(':change_id/keep') // Keep a change that would be undone automatically
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @Param('change_id') changeId: string,
    @Action() action: ActionByStaff,
  ): Promise<BulkChangeDetailResponse> {
    await this.bulk.keep({ ...action, changeId });
    return this.get(changeId);
  }
}
