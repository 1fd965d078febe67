import { AudioStore, type StoredAudio } from '@app/audio-store/audio-store';
import { PreviewRepository } from '@app/database/repositories/preview.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/public-id';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';

@Injectable()
export class PreviewsService {
  constructor(
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
  ) {}

  /** The audio of a live preview of the caller's account. */
  async getAudio({ key }: Caller, generatedVoiceId: string): Promise<StoredAudio & { bytes: Buffer }> {
    const preview = isPublicId(generatedVoiceId)
      ? await this.previews.findOwned(generatedVoiceId, key.accountId)
      : null;
    const audio = preview && (await this.audio.find(preview.audioDigest));
    if (!audio)
      throw new DomainError('preview_not_found', { generatedVoiceId }, { param: 'generated_voice_id' });
    return audio;
  }
}
