import { ConfigError } from '@app/config/app-config';
import { NO_SCORES, type SecondOpinion } from '@app/domain/reviews/second-opinion';
import type { DnsmosKind, OpenedModel } from './dnsmos-kind';
import { ModelThread } from './model-thread';

/** A DNSMOS model, P.835 or P.808, as a second opinion on recordings. */
export class Dnsmos {
  private readonly thread = new ModelThread('dnsmos.thread');
  private opened: OpenedModel;

  private constructor(private readonly path: string) {}

  /**
   * Loads a model and has it listen to silence.
   *
   * @param path file of the model, as in DNSMOS_MODEL_PATH
   * @throws ConfigError when the model does not exist or cannot run here
   */
  static async open(path: string): Promise<Dnsmos> {
    const model = new Dnsmos(path);
    try {
      model.opened = await model.thread.run<OpenedModel>('check', { path });
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
      return await this.thread.run<SecondOpinion>('score', task, [windows], signal);
    } catch (error) {
      signal?.throwIfAborted();
      const problem = (error as Error).message;
      return { model: this.modelName, ...NO_SCORES, windows: 0, problem };
    }
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
