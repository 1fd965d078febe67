import type { VoiceSettings } from '@app/domain/voices/voice-settings';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { OutboxMessage } from '../queue/outbox-message.entity';
import { Preview } from './preview.entity';
import { ReviewEvent } from './review-event.entity';
import { VoiceSafetyRepository } from './voice-safety.repository';
import { VoiceSample } from './voice-sample.entity';
import { Voice } from './voice.entity';
import type { NewSample } from './voice.repository';

/** What its account may change of a voice. */
export interface VoicePatch {
  name?: string;
  description?: string;
  labels?: Record<string, string>;
  settings?: VoiceSettings;
}

/** Changes that accounts make to their voices. What reviews change is in `VoiceRepository`. */
@Injectable()
export class VoiceChangeRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly safety: VoiceSafetyRepository,
  ) {}

  /**
   * Changes a voice of this account. False when there is none. One that is called or described differently leaves the
   * catalogue: staff have shared what it said before.
   */
  async update(
    id: string,
    accountId: string,
    patch: VoicePatch,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const isOther = patch.name !== undefined || patch.description !== undefined || patch.labels !== undefined;
    const { affected } = await em.update(
      Voice,
      { id, accountId },
      { ...patch, ...(isOther && { sharedAt: null }) },
    );
    return affected === 1;
  }

  /** Locks a voice of this account with its samples until the transaction ends; null when there is none. */
  async lock(id: string, accountId: string, em: EntityManager): Promise<Voice | null> {
    const voice = await em.findOne(Voice, {
      where: { id, accountId },
      lock: { mode: 'pessimistic_write' },
    });
    return voice && em.findOne(Voice, { where: { id }, relations: { samples: true } });
  }

  /** Adds samples after those of a voice that is locked. Its grade, which was that of the others, is cleared. */
  async addSamples({ id, samples }: Voice, added: NewSample[], em: EntityManager): Promise<void> {
    const next = Math.max(-1, ...samples.map(({ position }) => position)) + 1;
    await em.insert(
      VoiceSample,
      added.map((sample, index) => ({ ...sample, voiceId: id, position: next + index })),
    );
    await this.clearGrade(id, em);
  }

  /** Deletes a sample of a voice that is locked. Its grade, which the sample may have decided, is cleared. */
  async deleteSample({ id }: Voice, sampleId: string, em: EntityManager): Promise<void> {
    await em.delete(VoiceSample, { id: sampleId, voiceId: id });
    await this.clearGrade(id, em);
  }

  /**
   * Deletes a voice that is locked, with its samples, its preview and the job that waits for it. What was found out in
   * its reviews stays, and its last event says that it was deleted.
   */
  async delete(voice: Voice, em: EntityManager): Promise<void> {
    await this.safety.outlive(voice, em);
    await em.delete(OutboxMessage, { voiceId: voice.id });
    await em.delete(Voice, { id: voice.id });
    if (voice.previewId !== null) await em.delete(Preview, { id: voice.previewId });
    await em.insert(ReviewEvent, {
      voiceId: voice.id,
      generation: voice.reviewGeneration,
      fromState: voice.reviewState,
      toState: 'cancelled',
      cause: 'voice deleted',
      actor: 'api',
    });
  }

  private async clearGrade(id: string, em: EntityManager): Promise<void> {
    await em.update(Voice, { id }, { recordingQuality: null, recordingQualityReason: null });
  }
}
