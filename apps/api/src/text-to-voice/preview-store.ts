import { AudioStore, type StagedAudio } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import type { Preview } from '@app/database/voices/preview.entity';
import { PreviewRepository, type NewPreview } from '@app/database/voices/preview.repository';
import { newPublicId } from '@app/domain/common/public-id';
import type { DesignedPreview, PlannedPreview } from '@app/voice-engine/voice-engine';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';
import { GenerationCredits } from './generation-credits';
import type { Generation } from './generation';

/** Keeps previews, their audio and what they cost together: all or nothing. */
@Injectable()
export class PreviewStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
    private readonly credits: GenerationCredits,
    private readonly config: AppConfig,
  ) {}

  /** Stores previews with their audio, and charges the credits that were held for them. */
  async insertSpoken(
    caller: Caller,
    generation: Generation,
    engine: string,
    designed: DesignedPreview[],
    cost: number,
  ): Promise<NewPreview[]> {
    const staged = await this.stage(designed);
    return this.dataSource.transaction(async (em) => {
      const rows: NewPreview[] = [];
      for (const [index, { stored, ...plan }] of designed.entries()) {
        const { digest } = await this.audio.keep(staged[index]!, em);
        const { durationSecs } = stored;
        rows.push({ ...toRow(caller, generation, engine, plan), audioDigest: digest, durationSecs });
      }
      await this.previews.insertAll(rows, this.config.previewTtlHours, em);
      await this.credits.capture(caller, cost, em);
      return rows;
    });
  }

  /** Stores previews whose audio is still to come. */
  async insertPending(
    caller: Caller,
    generation: Generation,
    engine: string,
    plans: PlannedPreview[],
  ): Promise<NewPreview[]> {
    const rows = plans.map((plan) => toRow(caller, generation, engine, plan));
    await this.previews.insertAll(rows, this.config.previewTtlHours);
    return rows;
  }

  /** Gives pending previews their audio, and charges the credits that were held for them. */
  async complete(
    caller: Caller,
    previews: Pick<Preview, 'id'>[],
    designed: DesignedPreview[],
    cost: number,
  ): Promise<void> {
    const staged = await this.stage(designed);
    await this.dataSource.transaction(async (em) => {
      for (const [index, { stored }] of designed.entries()) {
        const { digest } = await this.audio.keep(staged[index]!, em);
        const audio = { audioDigest: digest, durationSecs: stored.durationSecs };
        await this.previews.markReady(previews[index]!.id, audio, em);
      }
      await this.credits.capture(caller, cost, em);
    });
  }

  private async stage(designed: DesignedPreview[]): Promise<StagedAudio[]> {
    return Promise.all(designed.map(({ stored }) => this.audio.stage(stored.bytes, stored.mediaType)));
  }

  /** Notes that the previews of a request will have no audio. */
  async fail(accountId: string, requestId: string): Promise<void> {
    await this.previews.markFailed(accountId, requestId);
  }
}

function toRow(
  { key, requestId }: Caller,
  { description, speech, origin, notes }: Generation,
  engine: string,
  { spec, understood, language }: PlannedPreview,
): NewPreview {
  return {
    id: newPublicId(randomBytes),
    accountId: key.accountId,
    keyId: key.keyId,
    description,
    text: speech.text,
    engine,
    spec,
    understood: { ...understood, ...notes },
    language,
    audioDigest: null,
    durationSecs: 0,
    requestId,
    ...origin,
  };
}
