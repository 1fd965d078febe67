import { ScreeningListsService } from '@app/administration/voices/screening-lists.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { ScreeningDryRunService } from './screening-dry-run.service';
import { ScreeningService } from './screening.service';
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
  constructor(
    private readonly lists: ScreeningListsService,
    private readonly dryRuns: ScreeningDryRunService,
    private readonly screening: ScreeningService,
  ) {}

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
    return toDryRunResponse(await this.dryRuns.run(entry));
  }

  @Put('profanity') // Switch the list of profane words on or off
  @RequireStaff('voices.review')
  async setProfanity(
    @Change() change: ChangeByStaff,
    @Body() { enabled }: ProfanityBody,
  ): Promise<ScreeningResponse> {
    await this.lists.setProfanity(change, enabled);
    return this.listChanged();
  }

  @Post('entries') // Add an entry to a screening list
  @RequireStaff('voices.review')
  async add(
    @Action() action: ActionByStaff,
    @Body() { list, text, account_id: accountId }: NewEntryBody,
  ): Promise<ScreeningResponse> {
    await this.lists.add(action, { list, text: text.trim(), accountId: accountId ?? null });
    return this.listChanged();
  }

  @Put('entries/:entry_id') // Edit an entry of a screening list
  @RequireStaff('voices.review')
  async edit(
    @Param('entry_id') entryId: string,
    @Change() change: ChangeByStaff,
    @Body() { text, account_id: accountId }: EditEntryBody,
  ): Promise<ScreeningResponse> {
    await this.lists.edit(change, entryId, { text: text.trim(), accountId: accountId ?? null });
    return this.listChanged();
  }

  @Delete('entries/:entry_id') // Remove an entry from a screening list
  @RequireStaff('voices.review')
  async remove(
    @Param('entry_id') entryId: string,
    @Change() change: ChangeByStaff,
  ): Promise<ScreeningResponse> {
    await this.lists.remove(change, entryId);
    return this.listChanged();
  }

  /** This process screens by what was changed from its next request on; others follow within a second. */
  private async listChanged(): Promise<ScreeningResponse> {
    this.screening.invalidate();
    return this.list();
  }
}
