import { ConfigError } from '@app/config/app-config';
import { NO_SCORES, type SecondOpinion } from '@app/domain/reviews/second-opinion';
import { Piscina } from 'piscina';
import type { DnsmosKind, OpenedModel } from './dnsmos-kind';
import { Slots } from '@app/domain/common/slots';
import { threadEntry } from './thread-entry';

const TIMEOUT_MS = 30_000;

/**
 * A DNSMOS model, P.835 or P.808, as a second opinion on recordings. It runs in one thread of its own, however many
 * recordings are measured at the same time, so that what it needs has one size and its troubles are not theirs.
 */
export class Dnsmos {
  private readonly pool = new Piscina({
    filename: threadEntry(__dirname, 'dnsmos.thread'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Infinity,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  private readonly slot = new Slots(1);
  private opened: OpenedModel;

  private constructor(private readonly path: string) {
    // A thread that dies between two tasks is replaced; no task waits for it.
    this.pool.on('error', () => undefined);
  }

  /**
   * Loads a model and has it listen to silence.
   *
   * @param path file of the model, as in DNSMOS_MODEL_PATH
   * @throws ConfigError when the model does not exist or cannot run here
   */
  static async open(path: string): Promise<Dnsmos> {
    const model = new Dnsmos(path);
    try {
      model.opened = await model.run<OpenedModel>('check', { path });
      return model;
    } catch (error) {
      await model.close();
      throw new ConfigError([
        `DNSMOS_MODEL_PATH: "${path}" cannot be used: ${(error as Error).message}; give the path of a DNSMOS model (P.808: model_v8.onnx, P.835: sig_bak_ovr.onnx), or unset it.`,
      ]);
    }
  }

  /** File name of the model and the beginning of its SHA-256. */
  get modelName(): string {
    return this.opened.name;
  }

  get kind(): DnsmosKind {
    return this.opened.kind;
  }

  /**
   * Scores windows from `cutWindows`, which are transferred from the caller. A failure is part of the result.
   *
   * @throws the signal's reason when it aborts
   */
  async listen(windows: Float32Array, signal?: AbortSignal): Promise<SecondOpinion> {
    try {
      const task = { path: this.path, windows };
      return await this.run<SecondOpinion>('score', task, [windows.buffer as ArrayBuffer], signal);
    } catch (error) {
      signal?.throwIfAborted();
      const problem = (error as Error).message;
      return { model: this.modelName, ...NO_SCORES, windows: 0, problem };
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private run<T>(
    name: string,
    task: object,
    transferList: ArrayBuffer[] = [],
    signal?: AbortSignal,
  ): Promise<T> {
    return this.slot.run(async () => {
      const limit = AbortSignal.timeout(TIMEOUT_MS);
      const either = signal ? AbortSignal.any([limit, signal]) : limit;
      try {
        return (await this.pool.run(task, { name, transferList, signal: either })) as T;
      } catch (error) {
        if (!limit.aborted) throw error;
        throw new Error(`the model took longer than ${TIMEOUT_MS / 1_000} s`, { cause: error });
      }
    });
  }
}
