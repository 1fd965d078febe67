import { SPEECH_MODEL_IDS } from '@app/domain/voices/model-ids';
import type { Model } from './model';

export const DEFAULT_SPEECH_MODEL_ID = SPEECH_MODEL_IDS[0];

function speechModel(
  model_id: (typeof SPEECH_MODEL_IDS)[number],
  name: string,
  maxCharacters: number,
): Model {
  return {
    model_id,
    name,
    can_be_finetuned: false,
    can_do_text_to_speech: true,
    can_do_voice_conversion: false,
    can_use_style: false,
    can_use_speaker_boost: false,
    serves_pro_voices: false,
    token_cost_factor: 1,
    description: 'Speaks with the voices of the account. Every model name leads to the configured engine.',
    requires_alpha_access: false,
    max_characters_request_free_user: maxCharacters,
    max_characters_request_subscribed_user: maxCharacters,
    maximum_text_length_per_request: maxCharacters,
    languages: [{ language_id: 'en', name: 'English' }],
    model_rates: { character_cost_multiplier: 1, cost_discount_multiplier: 1 },
    concurrency_group: 'text_to_speech',
  };
}

/** The published speech models, with the longest text that each takes (published list of models, 2026). */
export const SPEECH_MODELS: readonly Model[] = [
  speechModel(DEFAULT_SPEECH_MODEL_ID, 'Eleven Multilingual v2', 10_000),
  speechModel('eleven_v4', 'Eleven v4', 10_000),
  speechModel('eleven_v3', 'Eleven v3', 5_000),
  speechModel('eleven_flash_v2_5', 'Eleven Flash v2.5', 40_000),
  speechModel('eleven_flash_v2', 'Eleven Flash v2', 30_000),
  speechModel('eleven_turbo_v2_5', 'Eleven Turbo v2.5', 40_000),
  speechModel('eleven_turbo_v2', 'Eleven Turbo v2', 30_000),
  speechModel('eleven_multilingual_v1', 'Eleven Multilingual v1', 10_000),
  speechModel('eleven_monolingual_v1', 'Eleven English v1', 10_000),
];

/** The longest text of all models, in characters. */
export const MAX_SPEECH_CHARACTERS = Math.max(
  ...SPEECH_MODELS.map((model) => model.maximum_text_length_per_request),
);

/** The longest text that a model takes, in characters. */
export function maxCharactersOf(modelId: string): number {
  const model = SPEECH_MODELS.find((each) => each.model_id === modelId);
  return model?.maximum_text_length_per_request ?? 0;
}
