import { NO_SCORES, type SecondOpinion } from '@app/domain/reviews/second-opinion';
import { toAcr, toMos, WINDOW_SAMPLES } from '../measures/dnsmos-windows';
import { p808Spectrogram, SPECTROGRAM_SAMPLES, SPECTROGRAM_SHAPE } from '../measures/p808-spectrogram';
import type { DnsmosKind, OpenedModel } from './dnsmos-kind';
import { lowerThreadPriority } from './lower-priority';
import { ModelFile } from './model-file';
import type { ModelShape } from './onnx-runtime';
import { timed } from './thread-time';

lowerThreadPriority('review');

/** The models that are meant have 1.2 MB at the most. */
const LARGEST_MODEL_BYTES = 50_000_000;

/** How a window becomes the input of a model, and its outputs scores of 1 to 5. */
interface Kind extends ModelShape {
  prepare: (window: Float32Array) => Float32Array;
  toScores: (outputs: ArrayLike<number>) => Record<string, number>;
}

const KINDS: Record<DnsmosKind, Kind> = {
  p835: { input: [WINDOW_SAMPLES], outputs: 3, prepare: (window) => window, toScores: toAcr },
  p808: {
    input: SPECTROGRAM_SHAPE,
    outputs: 1,
    prepare: (window) => p808Spectrogram(window.subarray(0, SPECTROGRAM_SAMPLES)),
    toScores: (outputs) => ({ p808: toMos(outputs[0]!) }),
  },
};

const file = new ModelFile(KINDS, LARGEST_MODEL_BYTES);

/** The name and kind of a model that runs; throws in words for people when it does not. */
export const check = timed(async ({ path }: { path: string }): Promise<OpenedModel> => {
  const { name, kind, run } = await file.load(path);
  await run(KINDS[kind].prepare(new Float32Array(WINDOW_SAMPLES)));
  return { name, kind };
});

/** The mean of what the model says of each window. */
export const score = timed(async (task: { path: string; windows: Float32Array }): Promise<SecondOpinion> => {
  const { name, kind, run } = await file.load(task.path);
  const { prepare, toScores } = KINDS[kind];
  const windows = task.windows.length / WINDOW_SAMPLES;
  const means: Record<string, number> = {};
  for (let at = 0; at < task.windows.length; at += WINDOW_SAMPLES) {
    const scores = toScores(await run(prepare(task.windows.subarray(at, at + WINDOW_SAMPLES))));
    for (const [key, value] of Object.entries(scores)) means[key] = (means[key] ?? 0) + value / windows;
  }
  return { model: name, ...NO_SCORES, ...means, windows, problem: null };
});
