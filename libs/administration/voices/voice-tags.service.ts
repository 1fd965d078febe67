import { byStaff } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { canonicalList } from '@app/domain/common/tags';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { curationVersion } from '@app/domain/voices/voice-curation';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';

/** What staff file voices under. */
@Injectable()
export class VoiceTagsService {
  constructor(
    private readonly voices: VoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** Gives a voice these tags in place of those it has. No change when it has them already. */
  async set(
    staff: Staff,
    voiceId: string,
    input: readonly string[],
    expected: ExpectedVersion,
  ): Promise<void> {
    const tags = canonicalList(input);
    await this.changes.make(async (em) => {
      const voice = isPublicId(voiceId) ? await this.voices.setTags(voiceId, tags, em) : null;
      if (!voice) throw voiceNotFound(voiceId);
      checkVersion(expected, curationVersion(voice));
      if (voice.tags.join() === tags.join()) return { result: undefined, events: [] };
      const target = { type: 'voice', id: voiceId, accountId: voice.accountId };
      const changed = { before: { tags: voice.tags }, after: { tags } };
      return {
        result: undefined,
        events: [{ actor: byStaff(staff), action: 'voice.tagged', target, ...changed }],
      };
    });
  }
}
