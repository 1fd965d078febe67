import type { NewPreview } from '@app/database/voices/preview.repository';
import type { Caller } from '@app/domain/keys/caller';
import { GenerationSlots } from '@app/limits/generation-slots';
import type { DesignedPreview, OnSpoken } from '@app/voice-engine/voice-engine';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { GenerationCredits } from './generation-credits';
import { PreviewStore, type Charge } from './preview-store';

/** Speaks all previews of a request, and passes each on as soon as it is spoken. */
type Speak = (signal: AbortSignal, onSpoken: OnSpoken) => Promise<unknown>;

/** Previews that are promised first and spoken afterwards: each is heard as soon as it is stored. */
@Injectable()
export class StreamedPreviews implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamedPreviews.name);
  private readonly background = new Set<Promise<void>>();

  constructor(
    private readonly credits: GenerationCredits,
    private readonly store: PreviewStore,
    private readonly slots: GenerationSlots,
  ) {}

  /**
   * Begins to speak, and returns the previews when they are stored without their audio.
   *
   * The charge comes with the audio of the last one. If one fails, the credits are returned, and those that have no audio
   * yet fail with it; what could be heard before stays.
   */
  async begin(charge: Charge, pending: Promise<NewPreview[]>, speak: Speak): Promise<NewPreview[]> {
    const notStored = new AbortController();
    pending.catch((error: unknown) => notStored.abort(error));
    const speaking = this.speakAndKeep(charge, pending, (onSpoken) => speak(notStored.signal, onSpoken));
    // `finish` waits for it later; until then a failure must not look unhandled.
    speaking.catch(() => undefined);
    const previews = await pending;
    const task = this.finish(charge.caller, speaking).finally(() => this.background.delete(task));
    this.background.add(task);
    this.slots.keepUntil(charge.caller.requestId, task);
    return previews;
  }

  /** Previews that are promised are spoken before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.background);
  }

  /** Stores one after the other, in the order in which they are spoken, so that all are stored with the last one. */
  private async speakAndKeep(
    charge: Charge,
    pending: Promise<NewPreview[]>,
    speak: (onSpoken: OnSpoken) => Promise<unknown>,
  ): Promise<void> {
    let count = 0;
    const keep = async (spoken: DesignedPreview, place: number) => {
      const previews = await pending;
      count += 1;
      const isLast = count === previews.length;
      const { caller, cost } = charge;
      const due = isLast ? { caller, cost: await this.credits.requireCost(caller, cost) } : null;
      await this.store.addAudio(previews[place]!.id, spoken, due);
    };
    let storing = Promise.resolve();
    try {
      await speak((spoken, place) => {
        storing = storing.then(async () => keep(spoken, place));
        // Awaited below; until then a failure must not look unhandled.
        storing.catch(() => undefined);
      });
    } finally {
      await storing;
    }
  }

  private async finish(caller: Caller, speaking: Promise<void>): Promise<void> {
    try {
      await speaking;
    } catch (error) {
      this.logger.error(`Streamed previews failed: ${String(error)}`, { requestId: caller.requestId });
      await this.fail(caller);
    }
  }

  /** Previews that cannot be marked here are found and marked by the worker. */
  private async fail(caller: Caller): Promise<void> {
    await this.credits.release(caller);
    try {
      await this.store.fail(caller.key.accountId, caller.requestId);
    } catch (error) {
      this.logger.error(`Left for the worker: ${String(error)}`, { requestId: caller.requestId });
    }
  }
}
