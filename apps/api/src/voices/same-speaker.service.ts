import { AppConfig } from '@app/config/app-config';
import {
  RecordingSpeakerRepository,
  type SoundAlike,
} from '@app/database/reviews/recording-speaker.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';

/** As many voices as are shown. */
const MOST_SOUND_ALIKES = 50;

export interface SameSpeakerOfVoice {
  /** Of the account of the voice first, then of all others; each with the most alike first. */
  voices: SoundAlike[];
  hasMore: boolean;
  models: string[];
  threshold: number;
  isComplete: boolean;
}

/** In which voices the same person seems to speak. */
@Injectable()
export class SameSpeakerService {
  constructor(
    private readonly speakers: RecordingSpeakerRepository,
    private readonly voices: VoiceRepository,
    private readonly config: AppConfig,
  ) {}

  async of(voiceId: string): Promise<SameSpeakerOfVoice> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    const threshold = this.config.sameSpeakerCosine;
    const models = await this.speakers.listModels(voiceId);
    if (models.length === 0) return { voices: [], hasMore: false, models, threshold, isComplete: true };
    const search = { voiceId, cosine: threshold, limit: MOST_SOUND_ALIKES + 1 };
    // One after the other: a page takes one connection.
    const own = await this.speakers.listSoundAlikes({ ...search, accountId: voice.accountId });
    const all = await this.speakers.listSoundAlikes({ ...search, accountId: null });
    const others = (all ?? []).filter(({ accountId }) => accountId !== voice.accountId);
    const found = [...(own ?? []), ...others];
    const voices = found.slice(0, MOST_SOUND_ALIKES);
    const hasMore = found.length > voices.length || (all ?? []).length > MOST_SOUND_ALIKES;
    return { voices, hasMore, models, threshold, isComplete: own !== null && all !== null };
  }
}
