import type { OutputFormat } from '@app/audio/codecs/output-format';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { additionTo, withAddition } from '@app/voice-engine/enhanced-description';
import type { SpokenScripts } from '@app/voice-engine/speakable-text';
import type { VoiceEngine } from '@app/voice-engine/voice-engine';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { DEFAULT_MODEL_ID } from '../models/models';
import type { Generated } from './design-response';
import { GenerationService } from './generation.service';
import { originOf, speechOf, type RequestedSession, type RequestedSpeech } from './preview-request';

/** Fields of a design that only this model knows. */
const REFERENCE_MODEL = 'eleven_ttv_v3';

/** A new voice, as a caller requests it. */
export interface RequestedDesign extends RequestedSpeech {
  loudness: number;
  guidanceScale: number;
  quality: number | null;
  /** Whether the description may be added to. */
  enhance: boolean;
}

/** The same with what only designs of today have. */
export interface RequestedModelDesign extends RequestedDesign {
  modelId: string;
  referenceAudio: string | null;
  promptStrength: number | null;
  session: RequestedSession;
  streamed: boolean;
}

@Injectable()
export class DesignService {
  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly generations: GenerationService,
  ) {}

  /** Designs three previews of a new voice. */
  async design(caller: Caller, design: RequestedModelDesign, format?: OutputFormat): Promise<Generated> {
    const withoutEffect = referenceFields(design);
    return this.generations.generate(caller, {
      ...toGeneration(design, withoutEffect, this.engine.scripts),
      modelId: design.modelId,
      format,
      streamed: design.streamed,
      origin: originOf(null, design.session),
    });
  }

  /** The same under its older name: never streamed, and in no session. */
  async createPreviews(caller: Caller, design: RequestedDesign, format?: OutputFormat): Promise<Generated> {
    const generation = toGeneration(design, [], this.engine.scripts);
    return this.generations.generate(caller, {
      ...generation,
      modelId: DEFAULT_MODEL_ID,
      format,
      streamed: false,
      origin: originOf(null),
    });
  }
}

function toGeneration(design: RequestedDesign, withoutEffect: string[], scripts: SpokenScripts) {
  const { description, loudness, guidanceScale, quality } = design;
  const added = design.enhance ? additionTo(description) : null;
  return {
    operation: 'text_to_voice_design' as const,
    description,
    speech: {
      ...speechOf(design, scripts),
      description: withAddition(description, added),
      loudness,
      guidanceScale,
      quality,
    },
    notes: { added, withoutEffect },
  };
}

/**
 * The fields of the request about a reference recording. No engine here imitates a recording: they are accepted with
 * the model that has them and noted as without effect; with the other model they are a mistake of the caller.
 */
function referenceFields({ modelId, referenceAudio, promptStrength }: RequestedModelDesign): string[] {
  const present = [
    // The recording itself is not repeated in a refusal.
    { field: 'reference_audio_base64', isPresent: referenceAudio !== null, input: null },
    { field: 'prompt_strength', isPresent: promptStrength !== null, input: promptStrength },
  ].filter(({ isPresent }) => isPresent);
  if (modelId === REFERENCE_MODEL || present.length === 0) return present.map(({ field }) => field);
  const msg = `Value error, only with model_id '${REFERENCE_MODEL}', not with '${modelId}'`;
  throw new InvalidInput(
    present.map(({ field, input }) => ({ type: 'value_error', path: [field], msg, input })),
  );
}
