import { meanVector, toUnitVector, VECTOR_SIZES } from '@app/domain/voices/speaker-vector';
import { STRETCH_SAMPLES } from '../measures/speech-stretches';
import { SPEAKER_BANDS, speakerBands } from '../measures/speaker-bands';
import { lowerThreadPriority } from './lower-priority';
import { ModelFile } from './model-file';
import type { ModelShape } from './onnx-runtime';
import type { OpenedSpeakerModel, SpeakerKind } from './speaker-kind';
import { timed } from './thread-time';

lowerThreadPriority('review');

/** Usual models have 5 to 100 MB. */
const LARGEST_MODEL_BYTES = 250_000_000;
/** Of two sounds as unlike as those of the check, no model of speakers says that they are the same. */
const TOO_ALIKE = 0.9999;

/** How sound at 16 kHz becomes the input of a model. */
interface Kind extends ModelShape {
  prepare: (samples: Float32Array) => Float32Array;
}

const KINDS: Record<SpeakerKind, Kind> = {
  waveform: { input: ['samples'], outputs: 'size', prepare: (samples) => samples },
  bands: { input: ['frames', SPEAKER_BANDS], outputs: 'size', prepare: speakerBands },
};

const file = new ModelFile(KINDS, LARGEST_MODEL_BYTES);

/** The name and kind of a model that runs; throws in words for people when it does not, or does not distinguish sounds. */
export const check = timed(async ({ path }: { path: string }): Promise<OpenedSpeakerModel> => {
  const { name, kind } = await file.load(path);
  const [low, high] = [await vectorOf(path, pulses(110, 1)), await vectorOf(path, pulses(260, 2))];
  const size = low.length;
  if (size !== high.length)
    throw new Error(
      `its output has the size of its input: ${size} numbers for a second, ${high.length} for two`,
    );
  const { least, most } = VECTOR_SIZES;
  if (size < least || size > most)
    throw new Error(`it returned ${size} numbers; a vector of a speaker has ${least} to ${most}`);
  if (low.reduce((sum, x, n) => sum + x * high[n]!, 0) > TOO_ALIKE)
    throw new Error('it returned the same vector for a low and a high voice');
  return { name, kind, size };
});

/** The direction between the vectors of the stretches. */
export const embed = timed(async (task: { path: string; stretches: Float32Array }): Promise<Float32Array> => {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < task.stretches.length; at += STRETCH_SAMPLES)
    vectors.push(await vectorOf(task.path, task.stretches.subarray(at, at + STRETCH_SAMPLES)));
  return meanVector(vectors);
});

async function vectorOf(path: string, samples: Float32Array): Promise<Float32Array> {
  const { kind, run } = await file.load(path);
  return toUnitVector(await run(KINDS[kind].prepare(samples)));
}

/** A buzz as of vocal cords. */
function pulses(hz: number, secs: number): Float32Array {
  const period = Math.round(16_000 / hz);
  return Float32Array.from({ length: secs * 16_000 }, (_, n) => 0.5 * 0.95 ** (n % period) - 0.05);
}
