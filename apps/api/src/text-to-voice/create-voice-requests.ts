import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { IdempotentRequests } from '../http/idempotency';
import { PreviewUrls } from '../voices/preview-urls';
import { toVoiceResponse, type VoiceResponse } from '../voices/voice.dto';
import type { CreateVoiceBody } from './create-voice.dto';
import { CreateVoiceService } from './create-voice.service';

/** Requests to create a voice, each executed once however often it is sent. */
@Injectable()
export class CreateVoiceRequests {
  constructor(
    private readonly requests: IdempotentRequests,
    private readonly voices: CreateVoiceService,
    private readonly previewUrls: PreviewUrls,
  ) {}

  /** Creates a voice, or repeats the response that this key got. */
  async create(caller: Caller, key: string | null, body: CreateVoiceBody): Promise<VoiceResponse> {
    return this.requests.perform(caller, key, body, async (em) => {
      const voice = await this.voices.create(caller, body, em);
      return toVoiceResponse(voice, this.previewUrls.urlOf(caller, voice.id));
    });
  }
}
