import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from '../voices/staff-voice.dto';
import { AppealForCustomerBody } from './appeal.dto';
import { AppealsService } from '@app/administration/reviews/appeals.service';

@Controller('admin/voices')
export class StaffAppealsController {
  constructor(
    private readonly appeals: AppealsService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** For a customer who has written. It is answered at the review desk, as one that they have filed themselves. */
  @Post(':voice_id/appeal') // Appeal against the grade of a voice for its customer
  @RequireStaff('voices.review')
  async create(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @Body() { text, reason }: AppealForCustomerBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.appeals.createFor(staff, { voiceId, text }, reason);
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
