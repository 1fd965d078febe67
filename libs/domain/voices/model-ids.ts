/** The published models that speak (published list of models, 2026), the default first. */
export const SPEECH_MODEL_IDS = [
  'eleven_multilingual_v2',
  'eleven_v4',
  'eleven_v3',
  'eleven_flash_v2_5',
  'eleven_flash_v2',
  'eleven_turbo_v2_5',
  'eleven_turbo_v2',
  'eleven_multilingual_v1',
  'eleven_monolingual_v1',
] as const;

/** The published models that design a voice, the default first. */
export const DESIGN_MODEL_IDS = ['eleven_multilingual_ttv_v2', 'eleven_ttv_v3'] as const;

export type ModelId = (typeof SPEECH_MODEL_IDS)[number] | (typeof DESIGN_MODEL_IDS)[number];

/** Every model that a request can name. */
export const MODEL_IDS: readonly string[] = [...SPEECH_MODEL_IDS, ...DESIGN_MODEL_IDS];
