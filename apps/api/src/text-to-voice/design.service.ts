import type { OutputFormat } from '@app/audio/codecs/output-format';
import { additionTo, withAddition } from '@app/voice-engine/enhanced-description';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { ValidationProblem } from '../http/wire-problem';
import type { Generated } from './design-response';
import type { CreatePreviewsBody, DesignBody } from './design.dto';
import { GenerationService } from './generation.service';
import { originOf, speechOf } from './preview-request';

/** Fields of a design that only this model knows. */
const REFERENCE_MODEL = 'eleven_ttv_v3';
const REFERENCE_FIELDS = ['reference_audio_base64', 'prompt_strength'] as const;

@Injectable()
export class DesignService {
  constructor(private readonly generations: GenerationService) {}

  /** Designs three previews of a new voice. */
  async design(caller: Caller, body: DesignBody, format?: OutputFormat): Promise<Generated> {
    const withoutEffect = referenceFields(body);
    return this.generations.generate(caller, {
      ...toGeneration(body, withoutEffect),
      format,
      streamed: body.stream_previews,
      origin: originOf(null, body),
    });
  }

  /** The same under its older name: never streamed, and in no session. */
  async createPreviews(caller: Caller, body: CreatePreviewsBody, format?: OutputFormat): Promise<Generated> {
    const generation = toGeneration(body, []);
    return this.generations.generate(caller, {
      ...generation,
      format,
      streamed: false,
      origin: originOf(null),
    });
  }
}

function toGeneration(body: DesignBody | CreatePreviewsBody, withoutEffect: string[]) {
  const description = body.voice_description;
  const added = body.should_enhance ? additionTo(description) : null;
  return {
    operation: 'text_to_voice_design' as const,
    description,
    speech: {
      ...speechOf(body),
      description: withAddition(description, added),
      loudness: body.loudness,
      guidanceScale: body.guidance_scale,
      quality: body.quality,
    },
    notes: { added, withoutEffect },
  };
}

/**
 * The fields about a reference recording that were given. No engine here imitates a recording: they are accepted with
 * the model that has them and noted as without effect; with the other model they are a mistake of the caller.
 */
function referenceFields(body: DesignBody): string[] {
  const given = REFERENCE_FIELDS.filter((field) => body[field] !== null);
  if (body.model_id === REFERENCE_MODEL || given.length === 0) return given;
  throw new ValidationProblem(
    given.map((field) => ({
      type: 'value_error',
      loc: ['body', field],
      msg: `Value error, only with model_id '${REFERENCE_MODEL}', not with '${body.model_id}'`,
      input: field === 'prompt_strength' ? body[field] : null,
    })),
  );
}
