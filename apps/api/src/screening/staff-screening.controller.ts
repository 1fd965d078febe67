import type { ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { IfMatch } from '../http/etag';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { ScreeningLists } from './screening-lists.service';
import {
  EditEntryBody,
  NewEntryBody,
  ProfanityBody,
  ScreeningDryRunBody,
  toDryRunResponse,
  toScreeningResponse,
  type ScreeningDryRunResponse,
  type ScreeningResponse,
} from './staff-screening.dto';

@Controller('admin/screening')
export class StaffScreeningController {
  constructor(private readonly lists: ScreeningLists) {}

  /** Every entry, at most 2,000. */
  @Get() // List what names, descriptions and texts of voices must not have
  @RequireStaff('voices.review')
  async list(): Promise<ScreeningResponse> {
    return toScreeningResponse(await this.lists.list());
  }

  /** Which voices would have been refused by it, when they were created or renamed. Nothing changes. */
  @Post('dry-run') // Try an entry on the stored voices
  @HttpCode(200)
  @RequireStaff('voices.review')
  async dryRun(
    @Body() { list, text, account_id: accountId }: ScreeningDryRunBody,
  ): Promise<ScreeningDryRunResponse> {
    const entry = list === 'profanity' ? null : { list, text, accountId: accountId ?? null };
    return toDryRunResponse(await this.lists.dryRun(entry));
  }

  @Put('profanity') // Switch the list of profane words on or off
  @RequireStaff('voices.review')
  async setProfanity(
    @CurrentStaff() staff: Staff,
    @IfMatch() expected: ExpectedVersion,
    @Body() { enabled, reason }: ProfanityBody,
  ): Promise<ScreeningResponse> {
    await this.lists.setProfanity(staff, enabled, { reason, expected });
    return this.list();
  }

  @Post('entries') // Add an entry to a screening list
  @RequireStaff('voices.review')
  async add(
    @CurrentStaff() staff: Staff,
    @Body() { list, text, account_id: accountId, reason }: NewEntryBody,
  ): Promise<ScreeningResponse> {
    await this.lists.add(staff, { list, text: text.trim(), accountId: accountId ?? null }, reason);
    return this.list();
  }

  @Put('entries/:entry_id') // Edit an entry of a screening list
  @RequireStaff('voices.review')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('entry_id') entryId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { text, account_id: accountId, reason }: EditEntryBody,
  ): Promise<ScreeningResponse> {
    await this.lists.edit(
      staff,
      entryId,
      { text: text.trim(), accountId: accountId ?? null },
      { reason, expected },
    );
    return this.list();
  }

  @Delete('entries/:entry_id') // Remove an entry from a screening list
  @RequireStaff('voices.review')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('entry_id') entryId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<ScreeningResponse> {
    await this.lists.remove(staff, entryId, { reason, expected });
    return this.list();
  }
}
