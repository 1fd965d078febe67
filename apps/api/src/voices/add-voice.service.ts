import { contentDigest } from '@app/domain/voices/content-digest';
import { newVoiceId } from '@app/domain/common/cell';
import type { Caller } from '@app/domain/keys/caller';
import { VoiceRepository, type NewSample } from '@app/database/voices/voice.repository';
import { RECORDING_ENGINE } from '@app/domain/voices/recording-engine';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { RecordingsConsent } from './recordings-consent';
import { RecordingUploads } from './recording-uploads';
import { ReviewRequests } from '@app/administration/reviews/review-requests';
import { VoiceSlots } from '@app/administration/voices/voice-slots';

/** What a caller calls a voice from recordings. */
export interface AddedVoice {
  name: string;
  description: string;
  labels: Record<string, string>;
}

/** BCP 47 for a language that is not known: nothing here listens to what is said. */
const UNKNOWN_LANGUAGE = 'und';

@Injectable()
export class AddVoiceService {
  constructor(
    private readonly consent: RecordingsConsent,
    private readonly slots: VoiceSlots,
    private readonly uploads: RecordingUploads,
    private readonly voices: VoiceRepository,
    private readonly reviews: ReviewRequests,
  ) {}

  /** Makes a voice of recordings and enqueues its review, in the caller's transaction. Returns its id. */
  async add(caller: Caller, added: AddedVoice, recordings: NewSample[], em: EntityManager): Promise<string> {
    const { key, requestId } = caller;
    await this.consent.require(caller, em);
    await this.uploads.keep(recordings, em);
    const id = newVoiceId(key.accountId, randomBytes);
    const voice = {
      ...added,
      id,
      accountId: key.accountId,
      previewId: null,
      engine: RECORDING_ENGINE,
      spec: { engine: RECORDING_ENGINE },
      language: UNKNOWN_LANGUAGE,
      contentDigest: contentDigest(
        added,
        recordings.map(({ audioDigest }) => audioDigest),
      ),
      requestId,
    };
    await this.voices.insert(voice, recordings, em);
    await this.reviews.first(id, requestId, em);
    await this.slots.take(key.accountId, em);
    return id;
  }
}
