import { byStaff } from '@app/administration/audit/audit-actors';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Param, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IfMatch } from '../http/etag';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from '../voices/staff-voice.dto';
import { ShareVoiceBody } from './shared-voice.dto';
import { SharedVoicesService } from './shared-voices.service';

@Controller('admin/voices')
export class StaffSharedVoicesController {
  constructor(
    private readonly shared: SharedVoicesService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** Puts a voice into the catalogue of every account, or takes it out. */
  @Put(':voice_id/sharing')
  @RequireStaff('voices.share')
  async setSharing(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { shared, reason }: ShareVoiceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffVoiceDetailResponse> {
    await this.shared.setShared({ actor: byStaff(staff), voiceId, reason, expected }, shared);
    const voice = toStaffVoiceDetail(await this.voices.get(voiceId));
    void reply.header('etag', etagOf(voice.version));
    return voice;
  }
}
