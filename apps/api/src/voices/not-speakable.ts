import { DomainError } from '@app/domain/errors';
import { RECORDING_ENGINE } from '@app/domain/voices/recording-engine';
import { engineOf } from '@app/voice-engine/voice-engine';

/**
 * The refusal to speak with a voice that the engine did not make, or to remix one without an engine.
 *
 * @param accepted the voices that the engine speaks with
 */
export function notSpeakable(voiceId: string, spec: object, accepted: string): DomainError {
  const created = engineOf(spec);
  const [by, advice] =
    created === RECORDING_ENGINE
      ? ['from recordings, which no engine here imitates', 'Design a voice from a description instead.']
      : [`by the engine ${created}`, 'Remix it, and create a voice from one of the previews.'];
  return new DomainError(
    'voice_not_speakable',
    { voiceId, created: by, accepted, advice },
    { param: 'voice_id' },
  );
}
