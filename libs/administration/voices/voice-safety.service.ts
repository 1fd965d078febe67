import { Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { DomainError } from '@app/domain/errors';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { acting, AuditedChanges, type ChangeWork } from '../audit/audited-changes';

interface SafetyChange {
  actor: AuditActor;
  voiceId: string;
  reason: string;
  /** Of what staff decide about the voice, see `curationVersion`; left out for any. */
  expected?: ExpectedVersion;
}

const ACTIONS: Record<SafetyState, string> = { held: 'voice.held', taken_down: 'voice.taken_down' };

/** What staff decide against a voice, or for it. */
@Injectable()
export class VoiceSafetyService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly webhooks: WebhookEvents,
  ) {}

  /**
   * Holds a voice, takes it down, or releases it (null); the customer is told. No change when it is so already.
   *
   * @param notice what the customer reads
   */
  async set(change: SafetyChange, state: SafetyState | null, notice: string | null): Promise<void> {
    await this.changes.make(this.setting(change, state, notice));
  }

  /** The same as part of a transaction. */
  setting(
    { actor, voiceId, reason, expected = 'any' }: SafetyChange,
    state: SafetyState | null,
    notice: string | null,
  ): ChangeWork {
    const lock = async (em: EntityManager) => {
      const voice = isPublicId(voiceId)
        ? await em.findOne(Voice, { where: { id: voiceId }, lock: { mode: 'pessimistic_write' } })
        : null;
      if (!voice) throw new DomainError('voice_not_found', { voiceId }, { param: 'voice_id' });
      checkVersion(expected, curationVersion(voice));
      const auditTarget = { type: 'voice', id: voiceId, accountId: voice.accountId };
      return { thing: voice, version: 0, auditTarget };
    };
    return acting({ actor, reason }, lock, async (voice, em) => {
      const before = { safety: voice.safetyState, notice: voice.safetyNotice };
      const after = { safety: state, notice };
      if (JSON.stringify(before) === JSON.stringify(after)) return null;
      const decided = { safetyState: state, safetyNotice: notice };
      await em.update(Voice, { id: voiceId }, decided);
      await this.webhooks.voiceSafetyChanged({ ...voice, ...decided }, em);
      return { action: state === null ? 'voice.released' : ACTIONS[state], before, after };
    });
  }
}
