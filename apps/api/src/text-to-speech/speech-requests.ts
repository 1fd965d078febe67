import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable, Logger } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { HistoryService } from '../history/history.service';
import { IdempotentRequests } from '../http/idempotency';
import type { Speech } from './speech';

/** What is stored of speech for its `Idempotency-Key`. */
interface StoredSpeech {
  cost: number;
  historyItemId: string | null;
}

/** Speech that was spoken before, as the history has it. */
export interface EarlierSpeech {
  cost: number;
  historyItemId: string;
  audio: Readable;
  mediaType: string;
  sizeBytes: number;
  mark: string | null;
}

/** Speech that is spoken now. */
interface NewSpeech<T> {
  speech: Speech;
  response: T;
  /** Whether all of it was sent, and charged. */
  isSent: boolean | Promise<boolean>;
}

/** Requests for speech, each spoken and charged once however often it is sent with its `Idempotency-Key`. */
@Injectable()
export class SpeechRequests {
  private readonly logger = new Logger(SpeechRequests.name);

  constructor(
    private readonly requests: IdempotentRequests,
    private readonly history: HistoryService,
  ) {}

  /**
   * Speaks, or repeats what was spoken the first time.
   *
   * @param repeat sends audio of the history; null where the response was more than audio
   * @throws DomainError `idempotency_key_reused`, `idempotency_key_claimed`; `idempotent_response_gone` when the first response
   *   cannot be repeated
   */
  async perform<T>(
    caller: Caller,
    key: string | null,
    request: object,
    speak: () => Promise<NewSpeech<T>>,
    repeat: ((earlier: EarlierSpeech) => T) | null,
  ): Promise<T> {
    if (key === null) return (await speak()).response;
    const stored = await this.requests.begin<StoredSpeech>(caller, key, request);
    if (stored) return this.repeat(caller, key, stored, repeat);
    try {
      const spoken = await speak();
      void this.finish(caller, key, spoken);
      return spoken.response;
    } catch (error) {
      await this.requests.release(caller, key);
      throw error;
    }
  }

  private async repeat<T>(
    caller: Caller,
    key: string,
    { cost, historyItemId }: StoredSpeech,
    repeat: ((earlier: EarlierSpeech) => T) | null,
  ): Promise<T> {
    const item = historyItemId && repeat ? await this.history.find(caller, historyItemId) : null;
    if (!item || !repeat) throw new DomainError('idempotent_response_gone', { key, cost });
    const recording = await this.history.getAudio(item);
    const { mediaType, sizeBytes, mark } = recording;
    return repeat({
      cost,
      historyItemId: item.id,
      mediaType,
      sizeBytes,
      mark,
      audio: await recording.read(),
    });
  }

  /** A stream that ended early may be sent again. */
  private async finish<T>(caller: Caller, key: string, { speech, isSent }: NewSpeech<T>): Promise<void> {
    const { cost, draft } = speech;
    try {
      if (await isSent)
        await this.requests.store(caller, key, { cost, historyItemId: draft?.item.id ?? null });
      else await this.requests.release(caller, key);
    } catch (error) {
      this.logger.error(`An Idempotency-Key stays claimed: ${String(error)}`);
    }
  }
}
