import { listed } from '@app/domain/common/sentences';
import { passes, refusal, refuses, type ModelUse, type PureGate, type VoiceUse } from './gate';

/** Whether the key may use the model that the request names. */
export const MODEL: PureGate<'model', ModelUse, 'model_not_allowed'> = {
  name: 'model',
  decide({ key: { models }, modelId: model }) {
    if (models === null || model === null || models.includes(model)) return null;
    const params = { model, models: listed(models) };
    return refusal('model_not_listed', 'model_not_allowed', params, { param: 'model_id' });
  },
  describe({ key, modelId }) {
    if (key.models === null) return passes('The key may use every model.');
    const rule = `The key may use the models ${listed(key.models)}; ${modelId ? `the request names ${modelId}` : 'no model is known of the request'}.`;
    return MODEL.decide({ key, modelId })
      ? refuses(rule, 'model_not_allowed', ['Add the model to those of the key, or use another.', 'edit_key'])
      : passes(rule);
  },
};

/** Whether the key may speak with the voice, or remix it. */
export const VOICE: PureGate<'voice', VoiceUse, 'voice_not_allowed'> = {
  name: 'voice',
  decide({ key: { voices }, voiceId: voice }) {
    if (voices === null || voice === null || voices.includes(voice)) return null;
    const params = { voice, voices: listed(voices) };
    return refusal('voice_not_listed', 'voice_not_allowed', params, { param: 'voice_id' });
  },
  describe({ key, voiceId }) {
    if (key.voices === null) return passes('The key may use every voice of its account.');
    const rule = `The key may use the voices ${listed(key.voices)}; ${voiceId ? `the request names ${voiceId}` : 'the request names none'}.`;
    return VOICE.decide({ key, voiceId })
      ? refuses(rule, 'voice_not_allowed', ['Add the voice to those of the key, or use another.', 'edit_key'])
      : passes(rule);
  },
};

/** The operations that use the voice in their path. */
const VOICE_PATHS = [/^\/v1\/text-to-speech\/([^/]+)/, /^\/v1\/text-to-voice\/([^/]+)\/remix$/];

/**
 * The voice that a request speaks with or remixes, as its path names it; null when there is none.
 *
 * @param route method and path with placeholders; null when nothing serves the request
 * @param path without the query
 */
export function requestedVoice(route: string | null, path: string): string | null {
  if (route === null) return null;
  return VOICE_PATHS.map((pattern) => pattern.exec(path)?.[1]).find((voice) => voice !== undefined) ?? null;
}
