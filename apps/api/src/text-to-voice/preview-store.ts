import { AudioStore } from '@app/audio-store/audio-store';
import { markAudio } from '@app/audio/codecs/mark-audio';
import type { EncodedAudio } from '@app/audio/codecs/encode-audio';
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
import { syntheticMark } from '../http/synthetic-mark';
import { GenerationCredits } from './generation-credits';
import type { Generated } from './design-response';
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

  /**
   * Stores previews with their audio, and charges the credits that were held for them.
   *
   * @returns the previews with the audio of the response, and what says that they are machine-made
   */
  async insertSpoken(
    { caller, cost }: Charge,
    generation: Generation,
    engine: string,
    designed: DesignedPreview[],
  ): Promise<Pick<Generated, 'previews' | 'mark'>> {
    const rows = designed.map((preview) => toRow(caller, generation, engine, preview));
    const marks = rows.map(({ id }) => syntheticMark(this.config, id));
    const stored = designed.map((preview, place) => marked(preview.stored, marks[place]!));
    const staged = await Promise.all(
      stored.map(({ bytes, mediaType }) => this.audio.stage(bytes, mediaType)),
    );
    await this.dataSource.transaction(async (em) => {
      for (const [place, row] of rows.entries()) {
        row.audioDigest = (await this.audio.keep(staged[place]!, em)).digest;
        row.durationSecs = stored[place]!.durationSecs;
      }
      await this.previews.insertAll(rows, this.config.previewTtlHours, em);
      await this.credits.capture(caller, cost, em);
    });
    const audioOf = (preview: DesignedPreview, place: number) =>
      preview.response === preview.stored ? stored[place]! : marked(preview.response, marks[place]!);
    return {
      previews: rows.map((preview, place) => ({ preview, audio: audioOf(designed[place]!, place) })),
      mark: syntheticMark(this.config, rows.map(({ id }) => id).join(',')),
    };
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
    { stored, spec }: Pick<DesignedPreview, 'stored' | 'spec'>,
    charge: Charge | null,
  ): Promise<void> {
    const { bytes, mediaType, durationSecs } = marked(stored, syntheticMark(this.config, id));
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

function marked(audio: EncodedAudio, mark: string | null): EncodedAudio {
  return mark ? { ...audio, bytes: markAudio(audio.bytes, audio.mediaType, mark) } : audio;
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
