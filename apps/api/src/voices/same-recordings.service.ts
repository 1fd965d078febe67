import {
  BlockedRecordingRepository,
  type BlockedVoice,
} from '@app/database/reviews/blocked-recording.repository';
import {
  RecordingFingerprintRepository,
  type LookAlike,
} from '@app/database/reviews/recording-fingerprint.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { toPosition } from '../http/sorted-list';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';

/** As many voices with the same recording as are shown. */
const MOST_LOOK_ALIKES = 100;
const LIST: ListIdentity = { name: 'no-go-voices', filter: {} };

export interface SameRecordingsOfVoice {
  lookAlikes: LookAlike[];
  hasMore: boolean;
  /** Null when the voice is not on the no-go list. */
  blocked: BlockedVoice | null;
  blockedMatches: Awaited<ReturnType<BlockedRecordingRepository['listMatches']>>;
}

/** Which voices have the same recording, and which of the no-go list. */
@Injectable()
export class SameRecordingsService {
  constructor(
    private readonly fingerprints: RecordingFingerprintRepository,
    private readonly blockedRecordings: BlockedRecordingRepository,
    private readonly voices: VoiceRepository,
  ) {}

  async of(voiceId: string): Promise<SameRecordingsOfVoice> {
    await this.get(voiceId);
    const [found, blocked, blockedMatches] = await Promise.all([
      this.fingerprints.listLookAlikes(voiceId, MOST_LOOK_ALIKES + 1),
      this.blockedRecordings.find(voiceId),
      this.blockedRecordings.listMatches(voiceId),
    ]);
    const lookAlikes = found.slice(0, MOST_LOOK_ALIKES);
    return { lookAlikes, hasMore: found.length > lookAlikes.length, blocked, blockedMatches };
  }

  async list(query: PageQuery): Promise<Page<BlockedVoice>> {
    const { limit, after } = readPage(query, LIST, 2);
    const place = after && toPosition(after, 'timestamptz', LIST, isPublicId);
    const [rows, total] = await Promise.all([
      this.blockedRecordings.list({ limit: limit + 1, after: place && { at: place.value, id: place.id } }),
      this.blockedRecordings.count(),
    ]);
    return toPage(rows, limit, LIST, total, ({ at, voiceId }) => [at, voiceId]);
  }

  private async get(voiceId: string): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }
}
