import { OUTPUT_FORMATS, type OutputFormat } from '@app/audio/codecs/output-format';
import {
  BooleanField,
  checkBase64,
  CheckedField,
  EnumField,
  IntegerField,
  NumberField,
  StringField,
} from '../http/fields';
import type { RequestedDesign, RequestedModelDesign } from './design.service';
import type { RequestedRemix } from './remix.service';
import { DESIGN_MODEL_IDS } from '@app/domain/voices/model-ids';
import { DEFAULT_MODEL_ID } from '../models/models';

const MAX_INT4 = 2_147_483_647;
const MAX_SESSION_ID = 200;

export class DesignQuery {
  @EnumField(OUTPUT_FORMATS, { optional: true })
  output_format?: OutputFormat;
}

/** What every way of generating previews takes. */
class GenerationBody {
  @StringField({ min: 100, max: 1_000, optional: true, nullable: true, verbatim: true })
  text: string | null = null;

  @BooleanField({ optional: true })
  auto_generate_text: boolean = false;

  @NumberField({ min: -1, max: 1, optional: true })
  loudness: number = 0.5;

  @IntegerField({ min: 0, max: MAX_INT4, optional: true, nullable: true })
  seed: number | null = null;
}

/** What the ways that can be streamed and gathered in sessions take as well. */
class SessionBody extends GenerationBody {
  @BooleanField({ optional: true })
  stream_previews: boolean = false;

  @StringField({ min: 1, max: MAX_SESSION_ID, optional: true, nullable: true })
  remixing_session_id: string | null = null;

  @StringField({ min: 1, max: MAX_SESSION_ID, optional: true, nullable: true })
  remixing_session_iteration_id: string | null = null;

  @NumberField({ min: 0, max: 1, optional: true, nullable: true })
  prompt_strength: number | null = null;
}

export class DesignBody extends SessionBody {
  @StringField({ min: 20, max: 1_000, verbatim: true })
  voice_description: string;

  @EnumField(DESIGN_MODEL_IDS, { optional: true })
  model_id: string = DEFAULT_MODEL_ID;

  @NumberField({ min: 0, max: 100, optional: true })
  guidance_scale: number = 5;

  @BooleanField({ optional: true })
  should_enhance: boolean = false;

  @NumberField({ min: -1, max: 1, optional: true, nullable: true })
  quality: number | null = null;

  @CheckedField(checkBase64, { optional: true, nullable: true, verbatim: true })
  reference_audio_base64: string | null = null;
}

export class RemixBody extends SessionBody {
  /** The change. */
  @StringField({ min: 5, max: 1_000, verbatim: true })
  voice_description: string;

  @NumberField({ min: 0, max: 100, optional: true })
  guidance_scale: number = 2;
}

/** The older name of a design, with its older defaults. */
export class CreatePreviewsBody extends GenerationBody {
  @StringField({ min: 20, max: 1_000, verbatim: true })
  voice_description: string;

  @NumberField({ min: 0, max: 100, optional: true })
  guidance_scale: number = 5;

  @BooleanField({ optional: true })
  should_enhance: boolean = false;

  @NumberField({ min: -1, max: 1, optional: true, nullable: true })
  quality: number | null = 0.9;
}

export function toModelDesign(body: DesignBody): RequestedModelDesign {
  return {
    ...toDesign(body),
    modelId: body.model_id,
    referenceAudio: body.reference_audio_base64,
    promptStrength: body.prompt_strength,
    session: toSession(body),
    streamed: body.stream_previews,
  };
}

export function toDesign(body: DesignBody | CreatePreviewsBody): RequestedDesign {
  return {
    ...toSpeech(body),
    guidanceScale: body.guidance_scale,
    quality: body.quality,
    enhance: body.should_enhance,
  };
}

export function toRemix(body: RemixBody): RequestedRemix {
  return {
    ...toSpeech(body),
    guidanceScale: body.guidance_scale,
    changeStrength: body.prompt_strength,
    session: toSession(body),
    streamed: body.stream_previews,
  };
}

function toSpeech(body: GenerationBody & { voice_description: string }) {
  const { voice_description: description, auto_generate_text: generateText, text, seed, loudness } = body;
  return { description, text, generateText, seed, loudness };
}

function toSession({ remixing_session_id: id, remixing_session_iteration_id: iterationId }: SessionBody) {
  return { id, iterationId };
}
