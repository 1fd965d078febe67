import type { Voice } from '@app/database/voices/voice.entity';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAudio } from '../http/audio-response';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { IdempotencyKey } from '../http/idempotency';
import { Produces } from '../http/produces';
import { RequireGeneration } from '../limits/require-generation';
import { RequireScope } from '../http/route-access';
import { PreviewUrls } from '../voices/preview-urls';
import { toVoiceResponse, type VoiceResponse } from '../voices/voice.dto';
import { CreateVoiceBody, toRequestedVoice } from './create-voice.dto';
import { CreateVoiceRequests } from './create-voice-requests';
import { sendGeneration, type DesignResponse } from './design-response';
import {
  CreatePreviewsBody,
  DesignBody,
  DesignQuery,
  RemixBody,
  toDesign,
  toModelDesign,
  toRemix,
} from './design.dto';
import { DesignService } from './design.service';
import { GenerationRequests } from './generation-requests';
import { toOwnPreview, type OwnPreviewsResponse } from './own-previews.dto';
import { PreviewsService } from './previews.service';
import { RemixService } from './remix.service';

@Controller('v1/text-to-voice')
export class PublicTextToVoiceController {
  constructor(
    private readonly designs: DesignService,
    private readonly remixes: RemixService,
    private readonly generations: GenerationRequests,
    private readonly previews: PreviewsService,
    private readonly voices: CreateVoiceRequests,
    private readonly previewUrls: PreviewUrls,
  ) {}

  @Post('design') // Design a voice: three previews from a description
  @HttpCode(200)
  @RequireGeneration('voice_generation')
  async design(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | null,
    @Body() body: DesignBody,
    @Query() query: DesignQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignResponse> {
    const format = query.output_format;
    const response = await this.generations.generate(
      caller,
      key,
      { operation: 'design', body, format },
      async () => this.designs.design(caller, toModelDesign(body), format),
    );
    return sendGeneration(reply, response);
  }

  /**
   * For programs that do not know `design`.
   *
   * @deprecated use `design`
   */
  @Post('create-previews') // Create previews (use design instead)
  @HttpCode(200)
  @RequireGeneration('voice_generation')
  async createPreviews(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | null,
    @Body() body: CreatePreviewsBody,
    @Query() query: DesignQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignResponse> {
    const format = query.output_format;
    const response = await this.generations.generate(
      caller,
      key,
      { operation: 'create-previews', body, format },
      async () => this.designs.createPreviews(caller, toDesign(body), format),
    );
    return sendGeneration(reply, response);
  }

  @Post(':voice_id/remix') // Remix a voice: three previews of it, changed by a description
  @HttpCode(200)
  @RequireGeneration('voice_generation')
  async remix(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @IdempotencyKey() key: string | null,
    @Body() body: RemixBody,
    @Query() query: DesignQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignResponse> {
    const format = query.output_format;
    const response = await this.generations.generate(
      caller,
      key,
      { operation: 'remix', id, body, format },
      async () => this.remixes.remix(caller, id, toRemix(body), format),
    );
    return sendGeneration(reply, response);
  }

  /** The 100 newest previews that the key has paid for: where to look after a design whose response was lost. */
  @Get('previews') // List the previews of the key
  @RequireScope('voice_generation')
  async listPreviews(@CurrentCaller() caller: Caller): Promise<OwnPreviewsResponse> {
    return { previews: (await this.previews.list(caller)).map(toOwnPreview) };
  }

  @Get(':generated_voice_id/stream') // Stream the audio of a preview
  @Produces('audio/mpeg')
  @RequireScope('voice_generation')
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('generated_voice_id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const audio = await sendAudio(request, reply, await this.previews.getAudio(caller, id));
    void reply.header('generated_voice_id', id);
    return audio;
  }

  @Post() // Create a voice from a preview
  @HttpCode(200)
  @RequireScope('voices_write')
  async create(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | null,
    @Body() body: CreateVoiceBody,
  ): Promise<VoiceResponse> {
    const respond = (voice: Voice) => toVoiceResponse(voice, this.previewUrls.urlOf(caller, voice.id));
    return this.voices.create(caller, { key, body }, toRequestedVoice(body), respond);
  }

  /**
   * What programs of before July 2025 call.
   *
   * @deprecated use `POST /v1/text-to-voice`
   */
  @Post('create-voice-from-preview') // Create a voice from a preview (use the newer path instead)
  @HttpCode(200)
  @RequireScope('voices_write')
  async createFromPreview(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | null,
    @Body() body: CreateVoiceBody,
  ): Promise<VoiceResponse> {
    return this.create(caller, key, body);
  }
}
