import type { Voice } from '@app/database/voices/voice.entity';
import { DEFAULT_VOICE_SETTINGS } from '@app/domain/voices/voice-settings';
import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAudio } from '../http/audio-response';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { Produces } from '../http/produces';
import { PublicRoute, RequireScope } from '../http/route-access';
import { PreviewUrls } from './preview-urls';
import { PreviewAudioQuery, toFilter, toVoicePage, VoiceSearchQuery, wantsTotal } from './voice-query.dto';
import { VoiceSearchService } from './voice-search.service';
import {
  toSettingsResponse,
  toVoiceResponse,
  type VoiceResponse,
  type VoiceSearchResponse,
  type VoiceSettingsResponse,
} from './voice.dto';
import { VoicesService } from './voices.service';

@Controller()
export class PublicVoicesController {
  constructor(
    private readonly voices: VoicesService,
    private readonly searches: VoiceSearchService,
    private readonly previewUrls: PreviewUrls,
  ) {}

  @Get('v1/voices') // List all voices
  @RequireScope('voices_read')
  async list(@CurrentCaller() caller: Caller): Promise<{ voices: VoiceResponse[] }> {
    return { voices: this.toResponses(caller, await this.searches.list(caller)) };
  }

  @Get('v2/voices') // Search voices, page by page
  @RequireScope('voices_read')
  async search(
    @CurrentCaller() caller: Caller,
    @Query() query: VoiceSearchQuery,
  ): Promise<VoiceSearchResponse> {
    const filter = toFilter(caller.key.accountId, query);
    const { items, next_cursor, total } = await this.searches.search(filter, toVoicePage(query));
    return {
      voices: this.toResponses(caller, items),
      has_more: next_cursor !== null,
      total_count: wantsTotal(query) ? total : 0,
      next_page_token: next_cursor,
    };
  }

  @Get('v1/voices/settings/default') // Get the default voice settings
  @PublicRoute()
  defaultSettings(): VoiceSettingsResponse {
    return toSettingsResponse(DEFAULT_VOICE_SETTINGS);
  }

  @Get('v1/voices/:voice_id') // Get a voice
  @RequireScope('voices_read')
  async get(@CurrentCaller() caller: Caller, @Param('voice_id') id: string): Promise<VoiceResponse> {
    const [voice] = this.toResponses(caller, [await this.voices.get(caller, id)]);
    return voice!;
  }

  @Get('v1/voices/:voice_id/settings') // Get the settings of a voice
  @RequireScope('voices_read')
  async settings(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
  ): Promise<VoiceSettingsResponse> {
    const { settings } = await this.voices.get(caller, id);
    return toSettingsResponse(settings ?? DEFAULT_VOICE_SETTINGS);
  }

  @Get('v1/voices/:voice_id/samples/:sample_id/audio') // Get the audio of a sample
  @Produces('audio/*')
  @RequireScope('voices_read')
  async sampleAudio(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') voiceId: string,
    @Param('sample_id') sampleId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    return sendAudio(request, reply, await this.voices.getSample(caller, voiceId, sampleId));
  }

  /** What `preview_url` leads to. Pages of other sites may play it. */
  @Get('v1/voices/:voice_id/preview') // Play a voice from its signed address
  @Produces('audio/*')
  @Header('cross-origin-resource-policy', 'cross-origin')
  @PublicRoute()
  async previewAudio(
    @Param('voice_id') voiceId: string,
    @Query() query: PreviewAudioQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const accountId = await this.previewUrls.verify(voiceId, query);
    return sendAudio(request, reply, await this.voices.getPreview(voiceId, accountId));
  }

  private toResponses(caller: Caller, voices: Voice[]): VoiceResponse[] {
    return voices.map((voice) => toVoiceResponse(voice, this.previewUrls.urlOf(caller, voice.id)));
  }
}
