import type { OutputFormat } from '@app/audio/codecs/output-format';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { VoicesService } from '../voices/voices.service';
import type { Generated } from './design-response';
import { GenerationService } from './generation.service';
import { originOf, speechOf, type RequestedSession, type RequestedSpeech } from './preview-request';

/** A change of a voice, as a caller requests it. */
export interface RequestedRemix extends RequestedSpeech {
  loudness: number;
  guidanceScale: number;
  changeStrength: number | null;
  session: RequestedSession;
  streamed: boolean;
}

@Injectable()
export class RemixService {
  constructor(
    private readonly voices: VoicesService,
    private readonly generations: GenerationService,
  ) {}

  /** Three previews of how a voice of the caller's account sounds after a change. The voice itself stays as it is. */
  async remix(
    caller: Caller,
    voiceId: string,
    requested: RequestedRemix,
    format?: OutputFormat,
  ): Promise<Generated> {
    const { spec, description } = await this.voices.get(caller, voiceId);
    return this.generations.generate(caller, {
      operation: 'text_to_voice_remix',
      description: requested.description,
      speech: {
        ...speechOf(requested),
        description: requested.description,
        loudness: requested.loudness,
        guidanceScale: requested.guidanceScale,
        quality: null,
        base: { spec, description },
        changeStrength: requested.changeStrength,
      },
      format,
      streamed: requested.streamed,
      origin: originOf(voiceId, requested.session),
      notes: { added: null, withoutEffect: [] },
    });
  }
}
