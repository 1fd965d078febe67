import type { EncodedAudio } from '@app/audio/codecs/encode-audio';
import { threadEntry } from '@app/audio/threads/thread-entry';
import { Piscina } from 'piscina';
import type { ConvertTask } from './speech-server.thread';
import { VoiceEngineError } from './voice-engine.error';

/** Makes what a server sent into the formats that are needed, in threads that end when they have nothing to do. */
export class SpeechConverter {
  private readonly pool = new Piscina<ConvertTask, EncodedAudio[]>({
    filename: threadEntry(__dirname, 'speech-server.thread'),
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 60_000,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 192 },
  });

  constructor() {
    // A thread that dies between two tasks is replaced; no task waits for it.
    this.pool.on('error', () => undefined);
  }

  /**
   * One encoding for each format, in their order.
   *
   * @throws VoiceEngineError `failed` for audio that cannot be read, is silent or ends early; the signal's reason when it aborts
   */
  async convert(task: ConvertTask, signal: AbortSignal): Promise<EncodedAudio[]> {
    try {
      return await this.pool.run(task, { signal });
    } catch (cause) {
      signal.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new VoiceEngineError('failed', `the speech server sent no usable audio: ${reason}`, { cause });
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
