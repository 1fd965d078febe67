import { OUTPUT_FORMATS, type OutputFormat } from '@app/audio/output-format';
import type { Preview } from '@app/database/entities/preview.entity';
import { BooleanField, EnumField, IntegerField, NumberField, StringField } from '../http/fields';
import { DEFAULT_MODEL_ID, MODEL_IDS } from '../models/models';

const MAX_INT4 = 2_147_483_647;

export class DesignQuery {
  @EnumField(OUTPUT_FORMATS, { optional: true })
  output_format?: OutputFormat;
}

export class DesignBody {
  @StringField({ min: 20, max: 1_000 })
  voice_description: string;

  @EnumField(MODEL_IDS, { optional: true })
  model_id: string = DEFAULT_MODEL_ID;

  @StringField({ min: 100, max: 1_000, optional: true, nullable: true })
  text: string | null = null;

  @BooleanField({ optional: true })
  auto_generate_text: boolean = false;

  @NumberField({ min: -1, max: 1, optional: true })
  loudness: number = 0.5;

  @IntegerField({ min: 0, max: MAX_INT4, optional: true, nullable: true })
  seed: number | null = null;

  @NumberField({ min: 0, max: 100, optional: true })
  guidance_scale: number = 5;

  @NumberField({ min: -1, max: 1, optional: true, nullable: true })
  quality: number | null = null;
}

/** A designed preview with its audio in the format that was asked for. */
export interface DesignedAudio {
  preview: Pick<Preview, 'id' | 'language' | 'durationSecs'>;
  audio: Uint8Array;
  mediaType: string;
}

export interface DesignAnswer {
  previews: {
    audio_base_64: string;
    generated_voice_id: string;
    media_type: string;
    duration_secs: number;
    language: string;
  }[];
  text: string;
}

export function toDesignAnswer(text: string, designed: DesignedAudio[]): DesignAnswer {
  return {
    previews: designed.map(({ preview, audio, mediaType }) => ({
      audio_base_64: Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64'),
      generated_voice_id: preview.id,
      media_type: mediaType,
      duration_secs: preview.durationSecs,
      language: preview.language,
    })),
    text,
  };
}
