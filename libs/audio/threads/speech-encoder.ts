import { randomUUID } from 'node:crypto';
import { Piscina } from 'piscina';
import { hasState } from '../codecs/audio-stream';
import type { OutputFormat } from '../codecs/output-format';
import type { EncodeTask, EndTask } from './speech-encoder.thread';
import { threadEntry } from './thread-entry';

/** Encodes speech that comes in pieces as one stream, so that nothing is added where they join. */
export class SpeechEncoder {
  /** One thread, which has the state of every stream: LAME takes 10 ms for a second of sound. */
  private pool: Piscina<EncodeTask | EndTask, Uint8Array<ArrayBuffer>> | null = null;

  /** Null when the pieces of a format can be joined as they are. */
  begin(format: OutputFormat): SpeechEncoding | null {
    if (!hasState(format)) return null;
    const pool = (this.pool ??= startPool());
    return new SpeechEncoding(format, (task) => pool.run(task));
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
    this.pool = null;
  }
}

/** One text that is being encoded. */
export class SpeechEncoding {
  private readonly stream = randomUUID();
  private isOpen = false;

  constructor(
    private readonly format: OutputFormat,
    private readonly run: (task: EncodeTask | EndTask) => Promise<Uint8Array<ArrayBuffer>>,
  ) {}

  /**
   * What is complete with this piece: its last moments come with the next one, and after the last piece all of it.
   *
   * @param pcm in the format that `pcmFormatOf` gives for that of the stream
   * @throws Error when the thread of the encoder has died: the stream cannot be finished
   */
  async encode(pcm: Uint8Array, isLast: boolean): Promise<Uint8Array<ArrayBuffer>> {
    const isFirst = !this.isOpen;
    this.isOpen = !isLast;
    return this.run({ stream: this.stream, format: this.format, pcm, isFirst, isLast });
  }

  /** Releases what a stream holds that ends early; after the last piece there is nothing. */
  end(): void {
    if (this.isOpen) void this.run({ stream: this.stream }).catch(() => undefined);
    this.isOpen = false;
  }
}

function startPool(): Piscina<EncodeTask | EndTask, Uint8Array<ArrayBuffer>> {
  const pool = new Piscina<EncodeTask | EndTask, Uint8Array<ArrayBuffer>>({
    filename: threadEntry(__dirname, 'speech-encoder.thread'),
    // Always the same one: another thread does not know the streams.
    minThreads: 1,
    maxThreads: 1,
    execArgv: [],
  });
  // A thread that dies is replaced; the streams that it had fail with their next piece.
  return pool.on('error', () => undefined);
}
