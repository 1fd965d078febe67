import { SharedVoiceRepository } from '@app/database/voices/shared-voice.repository';
import { categoryOf, type Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges } from '../audit/audited-changes';
import { changing } from '../audit/locked-change';
import type { VoiceTarget } from './voice-aliases.service';

/** Shares voices with every account. */
@Injectable()
export class VoiceSharingService {
  constructor(
    private readonly shared: SharedVoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /**
   * Puts a voice into the catalogue, or takes it out; no change when it is so already.
   *
   * @throws DomainError `voice_not_found`, `voice_not_shareable`
   */
  async setShared({ voiceId, ...request }: VoiceTarget, isShared: boolean): Promise<void> {
    const lock = async (em: EntityManager) => {
      const voice = isPublicId(voiceId) ? await this.shared.lock(voiceId, em) : null;
      if (!voice) throw voiceNotFound(voiceId);
      return {
        resource: voice,
        version: curationVersion(voice),
        auditTarget: { type: 'voice', id: voiceId, accountId: voice.accountId },
      };
    };
    const work = changing(request, lock, async (voice, em) => {
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

/** The consent of the people in a recording is for one account. */
function requireShareable(voice: Voice): void {
  const refuse = (reason: string) => new DomainError('voice_not_shareable', { voiceId: voice.id, reason });
  if (categoryOf(voice) === 'cloned') throw refuse('it was created from recordings');
  if (labellingStatusOf(voice.reviewState) !== 'review_complete') throw refuse('it has not been reviewed');
}
