import { VoiceSafetyService } from '@app/administration/voices/voice-safety.service';
import { SAFETY_STATES, type SafetyState } from '@app/domain/voices/voice-safety';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { Change, type ChangeByStaff } from '../http/change';
import { EnumField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from './staff-voice.dto';

export class VoiceSafetyBody extends ReasonBody {
  /** `released` ends what was decided against it. */
  @EnumField([...SAFETY_STATES, 'released'])
  state: SafetyState | 'released';

  /** What the customer reads: in each refusal, and in the webhook event. Without it, only that it is so. */
  @StringField({ optional: true, max: 500 })
  notice: string = '';
}

@Controller('admin/voices')
export class StaffVoiceSafetyController {
  constructor(
    private readonly safety: VoiceSafetyService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** A voice that is held or taken down neither plays nor speaks, and leaves the catalogue until it is released. */
  @Put(':voice_id/safety') // Hold a voice, take it down, or release it
  @RequireStaff('voices.review')
  async set(
    @Param('voice_id') voiceId: string,
    @Change() change: ChangeByStaff,
    @Body() { state, notice }: VoiceSafetyBody,
  ): Promise<StaffVoiceDetailResponse> {
    const decided = state === 'released' ? null : state;
    await this.safety.set({ ...change, voiceId }, decided, notice.trim() || null);
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
