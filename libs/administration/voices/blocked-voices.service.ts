import { bySystem } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { VoiceSafetyService } from './voice-safety.service';
import { AppConfig } from '@app/config/app-config';
import type { BlockedRecordingFindings } from '@app/domain/reviews/blocked-recording-findings';
import { BlockedRecordingRepository } from '@app/database/reviews/blocked-recording.repository';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { Injectable } from '@nestjs/common';

const ACTOR = bySystem('review');
const NOT_COMPARED =
  'Not compared with all of the no-go list, which took too long: listen for its voices, or review this one again';

/** Acts on voices with recordings of the no-go list. */
@Injectable()
export class BlockedVoicesService {
  constructor(
    private readonly blockedRecordings: BlockedRecordingRepository,
    private readonly voices: VoiceRepository,
    private readonly desk: ReviewItemRepository,
    private readonly safety: VoiceSafetyService,
    private readonly changes: AuditedChanges,
    private readonly config: AppConfig,
  ) {}

  /**
   * Puts a voice with recordings of the no-go list on the review desk, and holds it where that is configured; once for
   * each voice of the list, so that what staff have let pass stays so. A voice that could not be compared with all of the
   * list is put on the desk too.
   */
  async act(voiceId: string, { found, isComplete }: BlockedRecordingFindings): Promise<void> {
    if (found.length === 0 && isComplete) return;
    await this.changes.make(async (em) => {
      const [first] = await this.blockedRecordings.addMatches(voiceId, found, em);
      if (!first) {
        if (!isComplete) await this.desk.open(voiceId, ['no_go_match'], em, NOT_COMPARED);
        return { result: undefined, events: [] };
      }
      const note = `Same recording as the no-go voice “${first.voiceName}” (${first.voiceId}): ${first.reason}`;
      await this.desk.open(voiceId, ['no_go_match'], em, note);
      if (this.config.blockedRecordingAction !== 'hold') return { result: undefined, events: [] };
      const { safetyState } = await this.voices.get(voiceId, em);
      if (safetyState !== null) return { result: undefined, events: [] };
      return this.safety.setting({ actor: ACTOR, voiceId, reason: note }, 'held', null)(em);
    });
  }
}
