import { DESIGN_MODEL_IDS } from '@app/domain/voices/model-ids';
import { constantResponse } from '../http/constant-responses';
import type { Model } from './model';
import { SPEECH_MODELS } from './speech-models';

export const DEFAULT_MODEL_ID = DESIGN_MODEL_IDS[0];

function designModel(model_id: (typeof DESIGN_MODEL_IDS)[number], name: string, description: string): Model {
  return {
    model_id,
    name,
    can_be_finetuned: false,
    can_do_text_to_speech: false,
    can_do_voice_conversion: false,
    can_use_style: false,
    can_use_speaker_boost: false,
    serves_pro_voices: false,
    token_cost_factor: 1,
    description,
    requires_alpha_access: false,
    max_characters_request_free_user: 1_000,
    max_characters_request_subscribed_user: 1_000,
    maximum_text_length_per_request: 1_000,
    languages: [{ language_id: 'en', name: 'English' }],
    model_rates: { character_cost_multiplier: 1, cost_discount_multiplier: 1 },
    concurrency_group: 'text_to_voice',
  };
}

const WITHOUT_EFFECT =
  'Words that the configured engine does not understand have no effect, and are in the response header x-words-without-effect.';

/** The voice design models that are accepted; both are served by the configured engine. */
export const MODELS: readonly Model[] = constantResponse([
  designModel(
    DEFAULT_MODEL_ID,
    'Multilingual TTV v2',
    `Designs a voice from a written description. ${WITHOUT_EFFECT}`,
  ),
  designModel(
    'eleven_ttv_v3',
    'TTV v3',
    `Designs a voice from a written description. ${WITHOUT_EFFECT} A reference recording is accepted, and has none.`,
  ),
]);

/** Design models, and the models that speak. */
export const ALL_MODELS: readonly Model[] = constantResponse([...SPEECH_MODELS, ...MODELS]);
