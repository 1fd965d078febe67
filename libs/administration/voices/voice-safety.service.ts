import type { AuditAction } from '@app/domain/audit/audit-actions';
import { Voice } from '@app/database/voices/voice.entity';
import { VoiceSafetyRepository, type InheritedSafety } from '@app/database/voices/voice-safety.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { curationVersion } from '@app/domain/voices/voice-curation';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import type { AuditEntry } from '../audit/audit-log';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing } from '../audit/locked-change';

interface SafetyChange {
  actor: AuditActor;
  voiceId: string;
  reason: string;
  /** Of what staff decide about the voice, see `curationVersion`; left out for any. */
  expected?: ExpectedVersion;
}

const ACTIONS: Record<SafetyState, AuditAction> = { held: 'voice.held', taken_down: 'voice.taken_down' };

/** What staff decide against a voice and everything that came of it, or for them. */
@Injectable()
export class VoiceSafetyService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly safety: VoiceSafetyRepository,
    private readonly webhooks: WebhookEvents,
  ) {}

  /**
   * Holds a voice, takes it down, or releases it (null); the customer is notified. No change when it is so already. The voices that
   * came of it follow, unless there is a decision about themselves.
   *
   * @param notice what the customer reads
   */
  async set(change: SafetyChange, state: SafetyState | null, notice: string | null): Promise<void> {
    await this.changes.make(this.setting(change, state, notice));
  }

  /** The same as part of a transaction. */
  setting(change: SafetyChange, state: SafetyState | null, notice: string | null): ChangeWork {
    const deciding = this.deciding(change, state, notice);
    return async (em) => {
      const decided = await deciding(em);
      if (decided.events.length === 0) return decided;
      const inherited = await this.safety.inherit(change.voiceId, em);
      for (const { voice } of inherited) await this.webhooks.voiceSafetyChanged(voice, em);
      return { ...decided, events: [...decided.events, ...inherited.map((each) => toEvent(change, each))] };
    };
  }

  private deciding(
    { actor, voiceId, reason, expected = 'any' }: SafetyChange,
    state: SafetyState | null,
    notice: string | null,
  ): ChangeWork {
    const lock = async (em: EntityManager) => {
      const voice = isPublicId(voiceId)
        ? await em.findOne(Voice, { where: { id: voiceId }, lock: { mode: 'pessimistic_write' } })
        : null;
      if (!voice) throw voiceNotFound(voiceId);
      checkVersion(expected, curationVersion(voice));
      const auditTarget = { type: 'voice', id: voiceId, accountId: voice.accountId };
      return { resource: voice, version: 0, auditTarget };
    };
    return changing({ actor, expected: 'any', reason }, lock, async (voice, em) => {
      const before = { safety: voice.safetyState, notice: voice.safetyNotice };
      const after = { safety: state, notice };
      if (voice.safetyOriginId === null && JSON.stringify(before) === JSON.stringify(after)) return null;
      const decided = { safetyState: state, safetyNotice: notice };
      await this.safety.decide(voiceId, decided, em);
      await this.webhooks.voiceSafetyChanged({ ...voice, ...decided }, em);
      return { action: actionOf(state), before, after };
    });
  }
}

function actionOf(state: SafetyState | null): AuditAction {
  return state === null ? 'voice.released' : ACTIONS[state];
}

function toEvent({ actor, voiceId, reason }: SafetyChange, { voice, before }: InheritedSafety): AuditEntry {
  return {
    actor,
    reason,
    action: actionOf(voice.safetyState),
    target: { type: 'voice', id: voice.id, accountId: voice.accountId },
    before: { safety: before },
    after: { safety: voice.safetyState, notice: voice.safetyNotice, came_of: voiceId },
  };
}
