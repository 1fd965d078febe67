import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import { PreviewRepository, type NewPreview } from '@app/database/voices/preview.repository';
import { newPublicId } from '@app/domain/common/public-id';
import type { DesignedPreview, PlannedPreview } from '@app/voice-engine/voice-engine';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { DataSource } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';
import { GenerationCredits } from './generation-credits';
import type { Generation } from './generation';

/** Credits that were held for a request, to be charged. */
export interface Charge {
  caller: Caller;
  /** Credits. */
  cost: number;
}

/** Keeps previews with their audio; what they cost is charged in the transaction of the last one. */
@Injectable()
export class PreviewStore {
  /** The ids of previews that receive their audio here, for the streams that wait for it in this process. */
  private readonly added = new EventTarget();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
    private readonly credits: GenerationCredits,
    private readonly config: AppConfig,
  ) {
    // As many streams as there are may wait for one preview.
    setMaxListeners(0, this.added);
  }

  /** Stores previews with their audio, and charges the credits that were held for them. */
  async insertSpoken(
    { caller, cost }: Charge,
    generation: Generation,
    engine: string,
    designed: DesignedPreview[],
  ): Promise<NewPreview[]> {
    const staged = await Promise.all(
      designed.map(({ stored }) => this.audio.stage(stored.bytes, stored.mediaType)),
    );
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

  /** Gives a pending preview its audio, with the charge when it is the last one of its request. */
  async addAudio(
    id: string,
    { stored: { bytes, mediaType, durationSecs }, spec }: Pick<DesignedPreview, 'stored' | 'spec'>,
    charge: Charge | null,
  ): Promise<void> {
    const staged = await this.audio.stage(bytes, mediaType);
    await this.dataSource.transaction(async (em) => {
      const { digest } = await this.audio.keep(staged, em);
      await this.previews.markReady(id, { audioDigest: digest, durationSecs, spec }, em);
      if (charge) await this.credits.capture(charge.caller, charge.cost, em);
    });
    this.added.dispatchEvent(new Event(id));
  }

  /** Waits until a preview receives its audio here, `ms` milliseconds at most. */
  async waitForAudio(id: string, ms: number): Promise<void> {
    await once(this.added, id, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
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
