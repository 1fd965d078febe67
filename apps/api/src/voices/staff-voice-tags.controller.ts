import { checkTags } from '@app/domain/common/tags';
import { type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { CheckedField } from '../http/fields';
import { IfMatch } from '../http/etag';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from './staff-voice.dto';
import { VoiceTagsService } from '@app/administration/voices/voice-tags.service';

export class VoiceTagsBody {
  /** All of them; those that are not here are removed. */
  @CheckedField(checkTags)
  tags: string[];
}

@Controller('admin/voices')
export class StaffVoiceTagsController {
  constructor(
    private readonly tags: VoiceTagsService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** Lists of voices are narrowed to a tag. Customers never see them. */
  @Put(':voice_id/tags') // Set the tags of a voice
  @RequireStaff('voices.review')
  async set(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { tags }: VoiceTagsBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.tags.set(staff, voiceId, tags, expected);
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
