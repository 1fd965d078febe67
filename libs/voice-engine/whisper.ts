import { mulberry32 } from './seeded-random';

const FRAME_SECS = 0.02;
const ORDER = 18;
/** What a Hann window leaves of the power: one before the prediction, two that overlap after it. */
const LEFT_BY_WINDOWS = 0.375 * 0.75;
/** Power of numbers between -1 and 1. */
const UNIFORM_POWER = 1 / 3;
/** White noise at -60 dB keeps the filter stable in silence and in pure tones. */
const WHITENING = 1e-6;
/** Peaks are no narrower than this: those of a high voice would be its harmonics, and the noise would have its pitch. */
const WIDENING_HZ = 60;

/**
 * The same words without the voice, as loud: noise in place of the vocal folds, through the vocal tract of every moment
 * (linear prediction of order 18 in Hann windows of 20 ms, half overlapped).
 */
export function whisper(samples: Float32Array, sampleRate: number, noiseSeed: number): Float32Array {
  const random = mulberry32(noiseSeed);
  const size = 2 * Math.round((FRAME_SECS * sampleRate) / 2);
  const window = Float32Array.from(
    { length: size },
    (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size),
  );
  const output = new Float32Array(samples.length);
  const frame = new Float64Array(size);
  for (let start = -size / 2; start < samples.length; start += size / 2) {
    for (let n = 0; n < size; n++) frame[n] = (samples[start + n] ?? 0) * window[n]!;
    const { coefficients, residualPower } = predict(frame, sampleRate);
    const gain = Math.sqrt(residualPower / (size * LEFT_BY_WINDOWS * UNIFORM_POWER));
    // The filter rings on into the next frame.
    const length = Math.min(2 * size, output.length - start);
    const past = new Float64Array(length);
    for (let n = 0; n < length; n++) {
      let value = n < size ? (random() * 2 - 1) * gain * window[n]! : 0;
      for (let k = 1; k <= ORDER && k <= n; k++) value -= coefficients[k]! * past[n - k]!;
      past[n] = value;
      if (start + n >= 0) output[start + n]! += value;
    }
  }
  return output;
}

/** Levinson-Durbin: the filter that predicts a sample from the `ORDER` before it, and the power of what is left. */
function predict(
  frame: Float64Array,
  sampleRate: number,
): { coefficients: Float64Array; residualPower: number } {
  const correlation = Float64Array.from({ length: ORDER + 1 }, (_, lag) => {
    let sum = 0;
    for (let n = lag; n < frame.length; n++) sum += frame[n]! * frame[n - lag]!;
    return sum * Math.exp(-0.5 * ((2 * Math.PI * WIDENING_HZ * lag) / sampleRate) ** 2);
  });
  const coefficients = new Float64Array(ORDER + 1);
  coefficients[0] = 1;
  let left = correlation[0]! * (1 + WHITENING);
  for (let order = 1; order <= ORDER && left > 0; order++) {
    let sum = correlation[order]!;
    for (let k = 1; k < order; k++) sum += coefficients[k]! * correlation[order - k]!;
    const reflection = -sum / left;
    for (let k = 1; k <= order / 2; k++) {
      const [low, high] = [coefficients[k]!, coefficients[order - k]!];
      coefficients[k] = low + reflection * high;
      coefficients[order - k] = high + reflection * low;
    }
    coefficients[order] = reflection;
    left *= 1 - reflection ** 2;
  }
  return { coefficients, residualPower: Math.max(0, left) };
}
