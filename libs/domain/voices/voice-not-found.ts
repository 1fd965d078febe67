import { DomainError } from '../errors';

/** The 404 of a voice, also of one that is not the caller's. */
export function voiceNotFound(voiceId: string): DomainError {
  return new DomainError('voice_not_found', { voiceId }, { param: 'voice_id' });
}
