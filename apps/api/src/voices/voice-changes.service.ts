import { AudioStore } from '@app/audio-store/audio-store';
import type { Voice } from '@app/database/voices/voice.entity';
import { VoiceChangeRepository, type VoicePatch } from '@app/database/voices/voice-change.repository';
import { editVoiceSettings, type VoiceSettingsEdit } from '@app/domain/voices/voice-settings';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { JobProducer } from '@app/queue/job-producer';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import type { Caller } from '@app/domain/keys/caller';
import { byCaller } from '@app/administration/audit/audit-actors';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { isPublicId } from '@app/domain/common/public-id';
import type { AuditEntry } from '@app/administration/audit/audit-log';

/** What accounts change of their voices. */
@Injectable()
export class VoiceChangesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: VoiceChangeRepository,
    private readonly audited: AuditedChanges,
    private readonly audio: AudioStore,
    private readonly jobs: JobProducer,
  ) {}

  /** Changes what a voice is called and how it is described. The recording, and so the review, stays. */
  async edit({ key }: Caller, voiceId: string, patch: VoicePatch): Promise<void> {
    if (isPublicId(voiceId) && (await this.changes.update(voiceId, key.accountId, patch))) return;
    throw voiceNotFound(voiceId);
  }

  /** Changes the settings that an edit names. */
  async editSettings(caller: Caller, voiceId: string, edit: VoiceSettingsEdit): Promise<void> {
    await this.dataSource.transaction(async (em) => {
      const voice = await this.lock(caller, voiceId, em);
      const settings = editVoiceSettings(voice.settings, edit);
      await this.changes.update(voiceId, caller.key.accountId, { settings }, em);
    });
  }

  /**
   * Deletes a voice: its slot is free and its audio gone. The preview it was created from, if any, goes with it, so that a late repeat of
   * the request that created it does not bring it back.
   */
  async delete(caller: Caller, voiceId: string): Promise<void> {
    const { result: voice } = await this.audited.make(async (em) => {
      const voice = await this.lock(caller, voiceId, em);
      await this.changes.delete(voice, em);
      const event: AuditEntry = {
        actor: byCaller(caller),
        action: 'voice.deleted',
        target: { type: 'voice', id: voice.id, accountId: caller.key.accountId },
        before: { name: voice.name, description: voice.description, labels: voice.labels },
      };
      return { result: voice, events: [event] };
    });
    this.removeJob(voice);
    await this.audio.discard(voice.samples);
  }

  /** Not awaited: a worker that finds the job has nothing to do, and the queue may not respond. */
  private removeJob({ id: voiceId, reviewGeneration: generation, requestId }: Voice): void {
    void this.jobs.remove(REVIEW_VOICE, { voiceId, generation, requestId }).catch(() => undefined);
  }

  private async lock({ key }: Caller, voiceId: string, em: EntityManager): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.changes.lock(voiceId, key.accountId, em) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }
}
