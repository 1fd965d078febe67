import type { AuditActor } from '@app/administration/audit/audit-actors';
import { acting, AuditedChanges } from '@app/administration/audit/audited-changes';
import { Voice } from '@app/database/voices/voice.entity';
import { isPublicId } from '@app/domain/common/public-id';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { voiceNotFound } from './voices.service';

interface SafetyChange {
  actor: AuditActor;
  voiceId: string;
  reason: string;
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
  async set(
    { actor, voiceId, reason }: SafetyChange,
    state: SafetyState | null,
    notice: string | null,
  ): Promise<void> {
    const lock = async (em: EntityManager) => {
      const voice = isPublicId(voiceId)
        ? await em.findOne(Voice, { where: { id: voiceId }, lock: { mode: 'pessimistic_write' } })
        : null;
      if (!voice) throw voiceNotFound(voiceId);
      const auditTarget = { type: 'voice', id: voiceId, accountId: voice.accountId };
      return { thing: voice, version: 0, auditTarget };
    };
    const work = acting({ actor, reason }, lock, async (voice, em) => {
      const before = { safety: voice.safetyState, notice: voice.safetyNotice };
      const after = { safety: state, notice };
      if (JSON.stringify(before) === JSON.stringify(after)) return null;
      const decided = { safetyState: state, safetyNotice: notice };
      await em.update(Voice, { id: voiceId }, decided);
      await this.webhooks.voiceSafetyChanged({ ...voice, ...decided }, em);
      return { action: state === null ? 'voice.released' : ACTIONS[state], before, after };
    });
    await this.changes.make(work);
  }
}
