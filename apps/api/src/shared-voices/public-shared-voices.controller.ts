import type { Caller } from '@app/domain/keys/caller';
import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import { PreviewUrls } from '../voices/preview-urls';
import {
  SharedVoicesQuery,
  toSharedVoiceFilter,
  toSharedVoicesResponse,
  type SharedVoicesResponse,
} from './shared-voice.dto';
import { SharedVoicesService } from './shared-voices.service';

@Controller('v1/shared-voices')
export class PublicSharedVoicesController {
  constructor(
    private readonly shared: SharedVoicesService,
    private readonly previewUrls: PreviewUrls,
  ) {}

  @Get() // List the voices that are shared with every account
  @RequireScope('voices_read')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: SharedVoicesQuery,
  ): Promise<SharedVoicesResponse> {
    const filter = toSharedVoiceFilter(query);
    const page = { page: Number(query.page), size: Number(query.page_size) };
    const found = filter ? await this.shared.list(filter, page) : { voices: [], hasMore: false, total: 0 };
    return toSharedVoicesResponse(found, (voiceId) => this.previewUrls.urlOf(caller, voiceId));
  }
}
