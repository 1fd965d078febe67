import type { OutputFormat } from '@app/audio/codecs/output-format';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { VoicesService } from '../voices/voices.service';
import type { Generated } from './design-response';
import type { RemixBody } from './design.dto';
import { GenerationService } from './generation.service';
import { originOf, speechOf } from './preview-request';

@Injectable()
export class RemixService {
  constructor(
    private readonly voices: VoicesService,
    private readonly generations: GenerationService,
  ) {}

  /** Three previews of how a voice of the caller's account sounds after a change. The voice itself stays as it is. */
  async remix(caller: Caller, voiceId: string, body: RemixBody, format?: OutputFormat): Promise<Generated> {
    const { spec, description } = await this.voices.get(caller, voiceId);
    return this.generations.generate(caller, {
      operation: 'text_to_voice_remix',
      description: body.voice_description,
      speech: {
        ...speechOf(body),
        description: body.voice_description,
        loudness: body.loudness,
        guidanceScale: body.guidance_scale,
        quality: null,
        base: { spec, description },
        changeStrength: body.prompt_strength,
      },
      format,
      streamed: body.stream_previews,
      origin: originOf(voiceId, body),
      notes: { added: null, withoutEffect: [] },
    });
  }
}
