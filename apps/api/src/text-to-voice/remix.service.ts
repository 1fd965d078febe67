import type { OutputFormat } from '@app/audio/codecs/output-format';
import { RECORDING_ENGINE } from '@app/domain/voices/recording-engine';
import { engineOf, type VoiceEngine } from '@app/voice-engine/voice-engine';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { notSpeakable } from '../voices/not-speakable';
import { requireReleased, VoicesService } from '../voices/voices.service';
import type { Generated } from './design-response';
import { DEFAULT_MODEL_ID } from '../models/models';
import { GenerationService, requireVoice } from './generation.service';
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
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly voices: VoicesService,
    private readonly generations: GenerationService,
  ) {}

  /**
   * Three previews of how a voice of the caller's account sounds after a change. The voice itself stays as it is.
   *
   * @throws DomainError `voice_not_allowed`, `voice_held`; `voice_not_speakable` for a voice from recordings
   */
  async remix(
    caller: Caller,
    voiceId: string,
    requested: RequestedRemix,
    format?: OutputFormat,
  ): Promise<Generated> {
    const voice = await this.voices.get(caller, voiceId);
    requireVoice(caller.key, voice.id);
    requireReleased(voice);
    const { spec, description } = voice;
    if (engineOf(spec) === RECORDING_ENGINE) throw notSpeakable(voiceId, spec, this.engine.speaks);
    return this.generations.generate(caller, {
      operation: 'text_to_voice_remix',
      description: requested.description,
      speech: {
        ...speechOf(requested, this.engine.scripts),
        description: requested.description,
        loudness: requested.loudness,
        guidanceScale: requested.guidanceScale,
        quality: null,
        base: { spec, description },
        changeStrength: requested.changeStrength,
      },
      // A remix names none, and is designed as other voices are.
      modelId: DEFAULT_MODEL_ID,
      format,
      streamed: requested.streamed,
      origin: originOf(voice, requested.session),
      notes: { added: null, withoutEffect: [] },
    });
  }
}
