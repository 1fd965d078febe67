import { VoiceSharingService } from '@app/administration/voices/voice-sharing.service';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { Change, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from '../voices/staff-voice.dto';
import { ShareVoiceBody } from './shared-voice.dto';

@Controller('admin/voices')
export class StaffSharedVoicesController {
  constructor(
    private readonly sharing: VoiceSharingService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** Puts a voice into the catalogue of every account, or takes it out. */
  @Put(':voice_id/sharing') // Share a voice with every account, or stop sharing it
  @RequireStaff('voices.share')
  async setSharing(
    @Param('voice_id') voiceId: string,
    @Change() change: ChangeByStaff,
    @Body() { shared }: ShareVoiceBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.sharing.setShared({ ...change, voiceId }, shared);
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
