import type { VoiceSettings } from '@app/domain/voices/voice-settings';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { OutboxMessage } from '../common/outbox-message.entity';
import { Preview } from './preview.entity';
import { ReviewEvent } from './review-event.entity';
import { Voice } from './voice.entity';

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
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Changes a voice of this account. False when there is none. */
  async update(
    id: string,
    accountId: string,
    patch: VoicePatch,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const { affected } = await em.update(Voice, { id, accountId }, patch);
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

  /**
   * Deletes a voice that is locked, with its samples, its preview and the job that waits for it. What was found out in
   * its reviews stays, and its last event says that it was deleted.
   */
  async delete(voice: Voice, em: EntityManager): Promise<void> {
    await em.delete(OutboxMessage, { voiceId: voice.id });
    await em.delete(Voice, { id: voice.id });
    await em.delete(Preview, { id: voice.previewId });
    await em.insert(ReviewEvent, {
      voiceId: voice.id,
      generation: voice.reviewGeneration,
      fromState: voice.reviewState,
      toState: 'cancelled',
      cause: 'voice deleted',
      actor: 'api',
    });
  }
}
