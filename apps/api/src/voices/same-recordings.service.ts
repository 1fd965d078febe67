import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
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
import { DomainError } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
  noGo: BlockedVoice | null;
  noGoMatches: Awaited<ReturnType<BlockedRecordingRepository['listMatches']>>;
}

/** Which voices have the same recording, and which recordings staff do not let back. */
@Injectable()
export class SameRecordingsService {
  constructor(
    private readonly fingerprints: RecordingFingerprintRepository,
    private readonly blockedRecordings: BlockedRecordingRepository,
    private readonly voices: VoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  async of(voiceId: string): Promise<SameRecordingsOfVoice> {
    await this.get(voiceId);
    const [found, noGo, noGoMatches] = await Promise.all([
      this.fingerprints.listLookAlikes(voiceId, MOST_LOOK_ALIKES + 1),
      this.blockedRecordings.find(voiceId),
      this.blockedRecordings.listMatches(voiceId),
    ]);
    const lookAlikes = found.slice(0, MOST_LOOK_ALIKES);
    return { lookAlikes, hasMore: found.length > lookAlikes.length, noGo, noGoMatches };
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

  /** Puts the recordings of a voice on the no-go list; no change when they are there. */
  async add(staff: Staff, voiceId: string, reason: string): Promise<void> {
    const voice = await this.get(voiceId);
    await this.changes.make(async (em) => {
      const isNew = await this.blockedRecordings.add(voiceId, { reason, setBy: staff.email }, em);
      const target = { type: 'voice', id: voiceId, accountId: voice.accountId };
      const event = { actor: byStaff(staff), action: 'voice.no_go_added', target, reason };
      return { result: undefined, events: isNew ? [event] : [] };
    });
  }

  /** Takes them off it, also when the voice itself is gone. */
  async remove(staff: Staff, voiceId: string, reason: string): Promise<void> {
    await this.changes.make(async (em) => {
      const listed = isPublicId(voiceId) ? await this.blockedRecordings.lock(voiceId, em) : null;
      if (!listed) throw new DomainError('no_go_voice_not_found', { voiceId }, { param: 'voice_id' });
      await this.blockedRecordings.remove(voiceId, em);
      const target = { type: 'voice', id: voiceId, accountId: listed.accountId };
      return {
        result: undefined,
        events: [{ actor: byStaff(staff), action: 'voice.no_go_removed', target, reason }],
      };
    });
  }

  private async get(voiceId: string, em?: EntityManager): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId, em) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }
}
