import { acting, AuditedChanges } from '@app/administration/audit/audited-changes';
import type { AuditActor } from '@app/administration/audit/audit-actors';
import { SharedVoiceRepository, type SharedVoiceFilter } from '@app/database/voices/shared-voice.repository';
import { categoryOf, type Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { DomainError } from '@app/domain/errors';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { Injectable } from '@nestjs/common';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';

interface SharingChange {
  actor: AuditActor;
  voiceId: string;
  reason: string;
  /** Of what staff decide about the voice, see `curationVersion`. */
  expected: ExpectedVersion;
}

export interface SharedVoicePage {
  voices: Voice[];
  hasMore: boolean;
  total: number;
}

/** The catalogue: voices that staff have shared with every account. */
@Injectable()
export class SharedVoicesService {
  constructor(
    private readonly shared: SharedVoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** @param page from 0 */
  async list(
    filter: SharedVoiceFilter,
    { page, size }: { page: number; size: number },
  ): Promise<SharedVoicePage> {
    const offset = page * size;
    const { voices, total } = await this.shared.list(filter, { offset, limit: size });
    return { voices, hasMore: offset + voices.length < total, total };
  }

  /**
   * Puts a voice into the catalogue, or takes it out; no change when it is so already.
   *
   * @throws DomainError `voice_not_found`, `voice_not_shareable`
   */
  async setShared({ actor, voiceId, reason, expected }: SharingChange, isShared: boolean): Promise<void> {
    const lock = async (em: Parameters<SharedVoiceRepository['lock']>[1]) => {
      const voice = isPublicId(voiceId) ? await this.shared.lock(voiceId, em) : null;
      if (!voice) throw voiceNotFound(voiceId);
      checkVersion(expected, curationVersion(voice));
      return {
        resource: voice,
        version: 0,
        auditTarget: { type: 'voice', id: voiceId, accountId: voice.accountId },
      };
    };
    const work = acting({ actor, reason }, lock, async (voice, em) => {
      const wasShared = voice.sharedAt !== null;
      if (wasShared === isShared) return null;
      if (isShared) requireShareable(voice);
      await this.shared.setShared(voiceId, isShared, em);
      return {
        action: isShared ? 'voice.shared' : 'voice.unshared',
        before: { shared: wasShared },
        after: { shared: isShared },
      };
    });
    await this.changes.make(work);
  }
}

/** The consent of the people in a recording was given to one account. */
function requireShareable(voice: Voice): void {
  const refuse = (reason: string) => new DomainError('voice_not_shareable', { voiceId: voice.id, reason });
  if (categoryOf(voice) === 'cloned') throw refuse('it was created from recordings');
  if (labellingStatusOf(voice.reviewState) !== 'review_complete') throw refuse('it has not been reviewed');
}
