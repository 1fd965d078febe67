import { AudioStore } from '@app/audio-store/audio-store';
import { samplesOf, type Voice } from '@app/database/voices/voice.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { newVoiceId } from '@app/domain/common/cell';
import { newPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ReviewRequests } from '@app/administration/reviews/review-requests';
import { VoiceSlots } from '@app/administration/voices/voice-slots';

/** Copies voices from one account to another. */
@Injectable()
export class VoiceCopiesService {
  constructor(
    private readonly audio: AudioStore,
    private readonly voices: VoiceRepository,
    private readonly reviews: ReviewRequests,
    private readonly slots: VoiceSlots,
  ) {}

  /**
   * Makes a copy of a voice and enqueues its review, in the caller's transaction. What staff decide against the voice holds
   * for its copies. Returns its id.
   *
   * @throws DomainError `voice_limit_reached`, `service_unavailable`
   */
  async copy(
    { key, requestId }: Caller,
    voice: Voice,
    own: Pick<Voice, 'name' | 'contentDigest'>,
    em: EntityManager,
  ): Promise<string> {
    const { description, labels, engine, spec, language, understood } = voice;
    const id = newVoiceId(key.accountId, randomBytes);
    const samples = samplesOf(voice).map(({ fileName, mediaType, sizeBytes, audioDigest, durationSecs }) => ({
      id: newPublicId(randomBytes),
      fileName,
      mediaType,
      sizeBytes,
      audioDigest,
      durationSecs,
    }));
    const digests = samples.map(({ audioDigest }) => audioDigest);
    if (!(await this.audio.keepStored(digests, em))) throw new DomainError('service_unavailable');
    const copied = { description, labels, engine, spec, language, understood, requestId };
    const originVoiceIds = [voice.id, ...voice.originVoiceIds];
    const { accountId } = key;
    await this.voices.insert(
      { ...copied, ...own, id, accountId, previewId: null, originVoiceIds },
      samples,
      em,
    );
    await this.reviews.first(id, requestId, em);
    await this.slots.take(accountId, em);
    return id;
  }
}
