import { Slots } from '@app/domain/common/slots';
import { Piscina } from 'piscina';
import { AudioTaskTimeoutError } from './audio-threads.error';
import { threadEntry } from './thread-entry';
import { runInTime } from './thread-time';

/** Of the processor, and by the clock. */
const [TIMEOUT_MS, LONGEST_MS] = [30_000, 300_000];

/**
 * One thread for one model, however many recordings are measured at the same time, so that what the model needs has one
 * size and its troubles are not theirs.
 */
export class ModelThread {
  private readonly pool: Piscina;
  private readonly slot = new Slots(1);

  /** @param entry file name without extension, for example `dnsmos.thread` */
  constructor(entry: string) {
    this.pool = new Piscina({
      filename: threadEntry(__dirname, entry),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Infinity,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    // A thread that dies between two tasks is replaced; no task waits for it.
    this.pool.on('error', () => undefined);
  }

  /**
   * Runs a function of the thread.
   *
   * @param numbers those of the task that are transferred from the caller
   * @throws Error of the function, or that it took longer than 30 s; AudioTaskStarvedError
   * @throws the signal's reason when it aborts
   */
  run<T>(name: string, task: object, numbers: Float32Array[] = [], signal?: AbortSignal): Promise<T> {
    return this.slot.run(async () => {
      const transferList = numbers.map(({ buffer }) => buffer as ArrayBuffer);
      try {
        const times = { limitMs: TIMEOUT_MS, longestMs: LONGEST_MS };
        return await runInTime<T>(this.pool, task, { name, transferList, ...times, signal });
      } catch (error) {
        if (!(error instanceof AudioTaskTimeoutError)) throw error;
        throw new Error(`the model took longer than ${TIMEOUT_MS / 1_000} s`, { cause: error });
      }
    });
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
