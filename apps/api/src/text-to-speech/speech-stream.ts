import { DomainError } from '@app/domain/errors';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { Readable } from 'node:stream';
import type { Speech } from './speech';

interface SpeechStreamOptions {
  speech: Speech;
  /** Speaks the piece with this number. */
  speak: (index: number, signal: AbortSignal) => Promise<Uint8Array>;
  /** Charges what was sent, 0 for nothing. Called once; must not reject. */
  settle: (cost: number) => Promise<void>;
  /** Aborts when the client goes away. */
  clientGone: AbortSignal;
}

/**
 * Speech as bytes, spoken piece by piece as the reader takes it: a piece is only spoken once those before it have left
 * the buffers of the response. It is settled before its end can be read. A reader that goes away stops the engine, and the
 * pieces that were sent are charged.
 */
export class SpeechStream extends Readable {
  /** Resolves when the credits are charged or released. */
  readonly settled: Promise<void>;
  private readonly stop = new AbortController();
  private readonly first: Promise<Uint8Array>;
  private resolveSettled: () => void = () => undefined;
  private readonly timer: NodeJS.Timeout;
  private isSettled = false;
  private next = 0;
  private sentCost = 0;

  constructor(private readonly options: SpeechStreamOptions) {
    // Without a separate buffer: what is pushed is what the response takes.
    super({ highWaterMark: 0 });
    this.settled = new Promise((resolve) => {
      this.resolveSettled = resolve;
    });
    const { speech, speak, clientGone } = options;
    this.timer = setTimeout(
      () => this.destroy(new VoiceEngineError('timeout', 'the speech took too long')),
      speech.limitMs,
    );
    clientGone.addEventListener('abort', () => this.destroy(), { once: true });
    if (clientGone.aborted) this.destroy();
    this.first = speak(0, this.stop.signal);
    this.first.catch(() => undefined);
  }

  /**
   * Resolves when there is something to send.
   *
   * @throws what the engine throws for the first piece, `client_gone` when the client has left; then nothing is charged
   */
  async ready(): Promise<void> {
    try {
      await this.first;
      this.stop.signal.throwIfAborted();
    } catch (error) {
      this.destroy();
      await this.settled;
      throw error;
    }
  }

  /** Whether every piece was sent. */
  get isSent(): boolean {
    return this.sentCost === this.options.speech.cost;
  }

  override _read(): void {
    this.pushNext().catch((error: Error) => this.destroy(error));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.timer);
    this.stop.abort(error ?? new DomainError('client_gone'));
    void this.end(error, done);
  }

  private async end(error: Error | null, done: (error: Error | null) => void): Promise<void> {
    await this.settle();
    done(error);
  }

  private async pushNext(): Promise<void> {
    const { speech, speak } = this.options;
    const index = this.next++;
    const piece = await speech.pieces.at(index);
    if (!piece) {
      await this.settle();
      this.push(null);
      return;
    }
    const audio = await (index === 0 ? this.first : speak(index, this.stop.signal));
    if (this.destroyed) return;
    this.sentCost += piece.characters;
    this.push(audio);
  }

  private async settle(): Promise<void> {
    if (!this.isSettled) {
      this.isSettled = true;
      void this.options.settle(this.sentCost).then(this.resolveSettled);
    }
    return this.settled;
  }
}
