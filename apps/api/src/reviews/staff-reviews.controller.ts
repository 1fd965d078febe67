import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from '../voices/staff-voice.dto';
import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { BulkReviewsService } from '@app/administration/reviews/bulk-reviews.service';
import { ReviewsService } from '@app/administration/reviews/reviews.service';
import { BulkReviewQuery, ConfirmedBody, OverrideGradeBody, ReviewAgainBody } from './staff-review.dto';
import { toNarrowVoiceFilter } from '../voices/staff-voice-query.dto';

@Controller('admin/voices')
export class StaffReviewsController {
  constructor(
    private readonly reviews: ReviewsService,
    private readonly bulk: BulkReviewsService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** How many voices the same request as a POST would review again, and what has to be typed to confirm it. */
  @Get('re-review') // Preview a re-review: how many voices it would meet
  @RequireStaff('voices.review')
  async previewMany(@Query() query: BulkReviewQuery): Promise<{ count: number; confirm: string }> {
    const count = await this.bulk.count(toNarrowVoiceFilter(query), query.force === 'true');
    return { count, confirm: String(count) };
  }

  @Post('re-review') // Review many voices again
  @HttpCode(202)
  @RequireStaff('voices.review', { confirmed: true })
  async reviewMany(
    @Query() query: BulkReviewQuery,
    @Action() { actor, reason }: ActionByStaff,
    @Body() { confirm }: ConfirmedBody,
  ): Promise<{ started: number }> {
    const change = { force: query.force === 'true', reason, confirm };
    const { count } = await this.bulk.start(actor, toNarrowVoiceFilter(query), change);
    return { started: count };
  }

  @Post(':voice_id/re-review') // Review a voice again
  @HttpCode(202)
  @RequireStaff('voices.review')
  async reviewAgain(
    @Param('voice_id') voiceId: string,
    @Change() change: ChangeByStaff,
    @Body() { force }: ReviewAgainBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.reviewAgain({ ...change, voiceId }, { force });
    return this.voiceResponse(voiceId);
  }

  @Post(':voice_id/override') // Override the grade of a voice
  @HttpCode(200)
  @RequireStaff('voices.review')
  async override(
    @Param('voice_id') voiceId: string,
    @Change() change: ChangeByStaff,
    @Body() { grade, public_reason: publicReason }: OverrideGradeBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.override({ ...change, voiceId }, { grade, publicReason });
    return this.voiceResponse(voiceId);
  }

  @Post(':voice_id/cancel') // Cancel the review of a voice
  @HttpCode(200)
  @RequireStaff('voices.review')
  async cancel(
    @Param('voice_id') voiceId: string,
    @Change() change: ChangeByStaff,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.cancel({ ...change, voiceId });
    return this.voiceResponse(voiceId);
  }

  private async voiceResponse(voiceId: string): Promise<StaffVoiceDetailResponse> {
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
