import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAudio } from '../http/audio-response';
import type { Page } from '../http/pagination';
import { Produces } from '../http/produces';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { toVoiceFilter, VoiceListQuery } from './staff-voice-query.dto';
import {
  ListenQuery,
  toStaffVoiceDetail,
  toStaffVoiceResponse,
  type StaffVoiceDetailResponse,
  type StaffVoiceResponse,
} from './staff-voice.dto';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { VoiceListeningService } from './voice-listening.service';

@Controller('admin/voices')
export class StaffVoicesController {
  constructor(
    private readonly voices: StaffVoiceReader,
    private readonly listening: VoiceListeningService,
  ) {}

  @Get() // List voices
  @RequireStaff('voices.read')
  async list(
    @CurrentStaff() staff: Staff,
    @Query() query: VoiceListQuery,
  ): Promise<Page<StaffVoiceResponse>> {
    const filter = { ...toVoiceFilter(query), withinCredential: staff.boundBy };
    const page = await this.voices.list(filter, query);
    return { ...page, items: page.items.map(toStaffVoiceResponse) };
  }

  @Get(':voice_id') // Get a voice with its measurements and attempts
  @RequireStaff('voices.read')
  async get(@Param('voice_id') id: string): Promise<StaffVoiceDetailResponse> {
    return toStaffVoiceDetail(await this.voices.get(id));
  }

  /** The first recording, or that of a sample, whole or in part. Each listening, with its reason, is in the audit log. */
  @Get(':voice_id/audio') // Listen to a voice
  @Produces('audio/*')
  @RequireStaff('voices.listen')
  async audio(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @Query() { reason, sample_id: sampleId }: ListenQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    return sendAudio(request, reply, await this.listening.listen(staff, voiceId, { reason, sampleId }));
  }
}
