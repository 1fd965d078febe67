import { AudioStore, type StoredAudio } from '@app/audio-store/audio-store';
import type { Voice } from '@app/database/entities/voice.entity';
import { VoiceRepository } from '@app/database/repositories/voice.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/public-id';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';

@Injectable()
export class VoicesService {
  constructor(
    private readonly voices: VoiceRepository,
    private readonly audio: AudioStore,
  ) {}

  /** A voice of the caller's account. */
  async get({ key }: Caller, voiceId: string): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.findOwned(voiceId, key.accountId) : null;
    if (!voice) throw new DomainError('voice_not_found', { voiceId }, { param: 'voice_id' });
    return voice;
  }

  /** The audio of a sample of a voice of the caller's account. */
  async getSampleAudio(
    caller: Caller,
    voiceId: string,
    sampleId: string,
  ): Promise<StoredAudio & { bytes: Buffer }> {
    const voice = await this.get(caller, voiceId);
    const sample = voice.samples.find(({ id }) => id === sampleId);
    const audio = sample && (await this.audio.find(sample.audioDigest));
    if (!audio) throw new DomainError('sample_not_found', { sampleId }, { param: 'sample_id' });
    return audio;
  }
}
