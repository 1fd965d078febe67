import { byStaff } from '@app/administration/audit/audit-actors';
import { VoiceSafetyService } from '@app/administration/voices/voice-safety.service';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { SAFETY_STATES, type SafetyState } from '@app/domain/voices/voice-safety';
import { Body, Controller, Param, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EnumField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { IfMatch } from '../http/etag';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
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
  @Put(':voice_id/safety')
  @RequireStaff('voices.review')
  async set(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { state, notice, reason }: VoiceSafetyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffVoiceDetailResponse> {
    const decided = state === 'released' ? null : state;
    const change = { actor: byStaff(staff), voiceId, reason, expected };
    await this.safety.set(change, decided, notice.trim() || null);
    const voice = toStaffVoiceDetail(await this.voices.get(voiceId));
    void reply.header('etag', etagOf(voice.version));
    return voice;
  }
}
