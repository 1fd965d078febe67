import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, type Caller } from '../http/caller';
import { Produces } from '../http/produces';
import { RequireScope } from '../http/route-access';
import { toVoiceAnswer, type VoiceAnswer } from './voice.dto';
import { VoicesService } from './voices.service';

@Controller('v1/voices')
export class PublicVoicesController {
  constructor(private readonly voices: VoicesService) {}

  @Get(':voice_id')
  @RequireScope('voices_read')
  async get(@CurrentCaller() caller: Caller, @Param('voice_id') id: string): Promise<VoiceAnswer> {
    return toVoiceAnswer(await this.voices.get(caller, id));
  }

  @Get(':voice_id/samples/:sample_id/audio')
  @Produces('audio/mpeg')
  @RequireScope('voices_read')
  async sampleAudio(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') voiceId: string,
    @Param('sample_id') sampleId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const audio = await this.voices.getSampleAudio(caller, voiceId, sampleId);
    void reply.header('content-type', audio.mediaType);
    return audio.bytes;
  }
}
