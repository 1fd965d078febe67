import { BlockedRecordingRepository } from '@app/database/reviews/blocked-recording.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';

/** The no-go list: voices whose recordings staff do not let back. */
@Injectable()
export class BlockedRecordingsService {
  constructor(
    private readonly blockedRecordings: BlockedRecordingRepository,
    private readonly voices: VoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** Puts the recordings of a voice on the no-go list; no change when they are there. */
  async add(actor: AuditActor, voiceId: string, reason: string): Promise<void> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    await this.changes.make(async (em) => {
      const isNew = await this.blockedRecordings.add(voiceId, { reason, setBy: actor.name }, em);
      const target = { type: 'voice', id: voiceId, accountId: voice.accountId };
      const event: AuditEntry = { actor, action: 'voice.no_go_added', target, reason };
      return { result: undefined, events: isNew ? [event] : [] };
    });
  }

  /** Takes them off it, also when the voice itself is gone. */
  async remove(actor: AuditActor, voiceId: string, reason: string): Promise<void> {
    await this.changes.make(async (em) => {
      const listed = isPublicId(voiceId) ? await this.blockedRecordings.lock(voiceId, em) : null;
      if (!listed) throw new DomainError('no_go_voice_not_found', { voiceId }, { param: 'voice_id' });
      await this.blockedRecordings.remove(voiceId, em);
      const target = { type: 'voice', id: voiceId, accountId: listed.accountId };
      return {
        result: undefined,
        events: [{ actor, action: 'voice.no_go_removed', target, reason }],
      };
    });
  }
}
