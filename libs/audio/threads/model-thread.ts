import { Slots } from '@app/domain/common/slots';
import { Piscina } from 'piscina';
import { threadEntry } from './thread-entry';

const TIMEOUT_MS = 30_000;

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
   * @throws Error of the function, or that it took longer than 30 s
   * @throws the signal's reason when it aborts
   */
  run<T>(name: string, task: object, numbers: Float32Array[] = [], signal?: AbortSignal): Promise<T> {
    return this.slot.run(async () => {
      const limit = AbortSignal.timeout(TIMEOUT_MS);
      const either = signal ? AbortSignal.any([limit, signal]) : limit;
      const transferList = numbers.map(({ buffer }) => buffer as ArrayBuffer);
      try {
        return (await this.pool.run(task, { name, transferList, signal: either })) as T;
      } catch (error) {
        if (!limit.aborted) throw error;
        throw new Error(`the model took longer than ${TIMEOUT_MS / 1_000} s`, { cause: error });
      }
    });
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
