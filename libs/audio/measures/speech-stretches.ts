import { resample } from '../signal/resample';

const RATE = 16_000;
const STRETCH_SECS = 10;
/** A model of speakers takes time and memory by the second, and learns little from more of the same voice. */
const MOST_STRETCHES = 3;
const LEAST_SECS = 1;
/** Samples of a stretch of a long recording. */
export const STRETCH_SAMPLES = STRETCH_SECS * RATE;

/**
 * What a model of speakers receives of a recording, at 16 kHz: all of it up to 10 s; of a longer one up to three stretches of
 * 10 s, spread evenly.
 *
 * @returns the stretches one after the other, STRETCH_SAMPLES each, or one that is shorter; nothing of less than a second
 */
export function cutStretches(samples: Float32Array, sampleRate: number): Float32Array {
  const secs = samples.length / sampleRate;
  if (secs < LEAST_SECS) return new Float32Array(0);
  if (secs <= STRETCH_SECS) return resample(samples, sampleRate, RATE).slice(0, STRETCH_SAMPLES);
  const count = Math.min(MOST_STRETCHES, Math.ceil(secs / STRETCH_SECS));
  const size = STRETCH_SECS * sampleRate;
  const stretches = new Float32Array(count * STRETCH_SAMPLES);
  for (let n = 0; n < count; n++) {
    const from = Math.round((n * (samples.length - size)) / (count - 1));
    const stretch = resample(samples.subarray(from, from + size), sampleRate, RATE);
    stretches.set(stretch.subarray(0, STRETCH_SAMPLES), n * STRETCH_SAMPLES);
  }
  return stretches;
}
