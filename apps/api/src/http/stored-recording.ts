import type { AudioStore } from '@app/audio-store/audio-store';
import type { DomainError } from '@app/domain/errors';
import type { Recording } from './audio-response';

/** A recording that is read from the store. @param gone the refusal when the store has it no longer */
export function storedRecording(
  store: AudioStore,
  stored: Omit<Recording, 'read'>,
  gone: () => DomainError,
): Recording {
  return {
    ...stored,
    read: async (range) => {
      const audio = await store.find(stored.digest, range);
      if (!audio) throw gone();
      return audio.bytes;
    },
  };
}
