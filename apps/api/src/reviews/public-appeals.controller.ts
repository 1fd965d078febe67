import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { IdempotencyKey } from '../http/idempotency';
import { RequireScope } from '../http/route-access';
import { AppealRequests } from './appeal-requests';
import { AppealBody, toAppealResponse, type AppealResponse } from './appeal.dto';

@Controller('v1/voices')
export class PublicAppealsController {
  constructor(private readonly appeals: AppealRequests) {}

  /** A person listens to the voice and answers. A verdict is appealed once. */
  @Post(':voice_id/review/appeal') // Appeal against the grade of a voice
  @HttpCode(200)
  @RequireScope('voices_write')
  async create(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') voiceId: string,
    @IdempotencyKey() key: string | null,
    @Body() { reason: text }: AppealBody,
  ): Promise<AppealResponse> {
    return this.appeals.create(caller, key, { voiceId, text }, toAppealResponse);
  }

  @Get(':voice_id/review/appeal') // Get the latest appeal against the grade of a voice
  @RequireScope('voices_read')
  async get(@CurrentCaller() caller: Caller, @Param('voice_id') voiceId: string): Promise<AppealResponse> {
    return toAppealResponse(await this.appeals.get(caller, voiceId));
  }
}
