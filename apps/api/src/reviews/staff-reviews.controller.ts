import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from '../voices/staff-voice.dto';
import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { BulkReviewsService } from './bulk-reviews.service';
import { ReviewsService } from './reviews.service';
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
  @Get('re-review')
  @RequireStaff('voices.review')
  async previewMany(@Query() query: BulkReviewQuery): Promise<{ count: number; confirm: string }> {
    const count = await this.bulk.count(toNarrowVoiceFilter(query), query.force === 'true');
    return { count, confirm: String(count) };
  }

  @Post('re-review')
  @HttpCode(202)
  @RequireStaff('voices.review', { confirmed: true })
  async reviewMany(
    @CurrentStaff() staff: Staff,
    @Query() query: BulkReviewQuery,
    @Body() { reason, confirm }: ConfirmedBody,
  ): Promise<{ started: number }> {
    const change = { force: query.force === 'true', reason, confirm };
    const { count } = await this.bulk.start(byStaff(staff), toNarrowVoiceFilter(query), change);
    return { started: count };
  }

  @Post(':voice_id/re-review')
  @HttpCode(202)
  @RequireStaff('voices.review')
  async reviewAgain(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, force }: ReviewAgainBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.reviewAgain({ actor: byStaff(staff), voiceId, expected, reason }, { force });
    return this.answer(reply, voiceId);
  }

  @Post(':voice_id/override')
  @HttpCode(200)
  @RequireStaff('voices.review')
  async override(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { grade, public_reason: publicReason, reason }: OverrideGradeBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.override(
      { actor: byStaff(staff), voiceId, expected, reason },
      { grade, publicReason },
    );
    return this.answer(reply, voiceId);
  }

  @Post(':voice_id/cancel')
  @HttpCode(200)
  @RequireStaff('voices.review')
  async cancel(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffVoiceDetailResponse> {
    await this.reviews.cancel({ actor: byStaff(staff), voiceId, expected, reason });
    return this.answer(reply, voiceId);
  }

  private async answer(reply: FastifyReply, voiceId: string): Promise<StaffVoiceDetailResponse> {
    const voice = toStaffVoiceDetail(await this.voices.get(voiceId));
    void reply.header('etag', etagOf(voice.version));
    return voice;
  }
}
