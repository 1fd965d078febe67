import { ConfigError } from '@app/config/app-config';
import type { OpenedSpeakerModel } from './speaker-kind';
import { ModelThread } from './model-thread';

/** What a model heard of who speaks. */
export interface HeardSpeaker {
  /** Vectors of different models say nothing about each other. */
  model: string;
  /** Of length 1; null when there is none, and `problem` says why. */
  vector: Float32Array | null;
  problem: string | null;
}

/** A model that describes who speaks: recordings of one speaker have vectors in nearly the same direction. */
export class SpeakerModel {
  private readonly thread = new ModelThread('speaker-model.thread');
  private opened: OpenedSpeakerModel;

  private constructor(private readonly path: string) {}

  /**
   * Loads a model and has it listen to two sounds.
   *
   * @param path file of the model, as in SPEAKER_MODEL_PATH
   * @throws ConfigError when the model does not exist, cannot run here or is not one of speakers
   */
  static async open(path: string): Promise<SpeakerModel> {
    const model = new SpeakerModel(path);
    try {
      model.opened = await model.thread.run<OpenedSpeakerModel>('check', { path });
      return model;
    } catch (error) {
      await model.close();
      throw new ConfigError([
        `SPEAKER_MODEL_PATH: "${path}" cannot be used: ${(error as Error).message}; give the path of a model of speakers (ONNX, from sound at 16 kHz or 80 mel bands of any length to one vector), or unset it.`,
      ]);
    }
  }

  /** File name of the model and the beginning of its SHA-256. */
  get modelName(): string {
    return this.opened.name;
  }

  /** What it takes, and how many numbers its vectors have. */
  get form(): Omit<OpenedSpeakerModel, 'name'> {
    const { kind, size } = this.opened;
    return { kind, size };
  }

  /**
   * Listens to stretches from `cutStretches`, which are transferred from the caller. A failure is part of the result.
   *
   * @throws the signal's reason when it aborts
   */
  async embed(stretches: Float32Array, signal?: AbortSignal): Promise<HeardSpeaker> {
    const model = this.modelName;
    if (stretches.length === 0)
      return { model, vector: null, problem: 'the recording is shorter than a second' };
    try {
      const task = { path: this.path, stretches };
      const vector = await this.thread.run<Float32Array>('embed', task, [stretches], signal);
      return { model, vector, problem: null };
    } catch (error) {
      signal?.throwIfAborted();
      return { model, vector: null, problem: (error as Error).message };
    }
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
