import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { PageQuery, type Page } from '../http/pagination';
import { Produces } from '../http/produces';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  PreferenceQuery,
  toPreferenceLines,
  toPreviewResponse,
  type PreviewResponse,
} from './staff-preview.dto';
import { StaffPreviewsService } from './staff-previews.service';

@Controller('admin')
export class StaffPreviewsController {
  constructor(private readonly previews: StaffPreviewsService) {}

  /** The previews of an account that still have their audio, newest first. */
  @Get('accounts/:account_id/previews') // List the previews of an account
  @RequireStaff('voices.read')
  async list(
    @Param('account_id') accountId: string,
    @Query() query: PageQuery,
  ): Promise<Page<PreviewResponse>> {
    const page = await this.previews.list(accountId, query);
    return { ...page, items: page.items.map(toPreviewResponse) };
  }

  /** JSON Lines of what customers chose over what, oldest first. */
  @Get('preferences/export') // Export preferences between previews as JSON Lines
  @Produces('application/jsonl')
  @RequireStaff('voices.read')
  async export(@CurrentStaff() staff: Staff, @Query() query: PreferenceQuery): Promise<StreamableFile> {
    const preferences = await this.previews.exportPreferences(staff, query.account_id);
    return new StreamableFile(Readable.from(toPreferenceLines(preferences)), {
      type: 'application/jsonl; charset=utf-8',
      disposition: 'attachment; filename="preferences.jsonl"',
    });
  }
}
