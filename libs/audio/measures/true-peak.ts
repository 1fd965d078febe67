import { peakOf, type Extremes } from '../signal/extremes';

/** Taps on each side of a point between two samples. */
const REACH = 12;
const OVERSAMPLING = 4;
/** A peak between samples is never this much higher than the samples beside it in a signal that was sampled properly. */
const WORTH_CHECKING = 0.7;

const PHASES = [1, 2, 3].map((phase) => interpolator(phase / OVERSAMPLING));

/**
 * True peak as a factor of full scale: the largest value of the signal interpolated four-fold (ITU-R BS.1770-5
 * annex 2). Only the surroundings of large samples are interpolated.
 */
export function measureTruePeak(samples: Float32Array, extremes: Extremes): number {
  const { size, highs, highest, lowest } = extremes;
  const samplePeak = Math.max(highest, -lowest);
  // Every sample of silence is as large as the largest.
  if (samplePeak === 0) return 0;
  const threshold = samplePeak * WORTH_CHECKING;
  let peak = samplePeak;
  for (let frame = 0; frame < highs.length; frame++) {
    if (peakOf(extremes, frame) < threshold) continue;
    // The point before its first sample lies between two frames.
    const end = Math.min(samples.length - 1, (frame + 1) * size);
    for (let n = Math.max(0, frame * size - 1); n < end; n++) {
      const here = samples[n]!;
      const next = samples[n + 1]!;
      if (here < threshold && here > -threshold && next < threshold && next > -threshold) continue;
      for (const taps of PHASES) peak = Math.max(peak, Math.abs(between(samples, n, taps)));
    }
  }
  return peak;
}

function between(samples: Float32Array, n: number, taps: Float64Array): number {
  let sum = 0;
  const start = n - REACH + 1;
  if (start >= 0 && start + 2 * REACH <= samples.length) {
    for (let k = 0; k < 2 * REACH; k++) sum += taps[k]! * samples[start + k]!;
    return sum;
  }
  const first = Math.max(0, -start);
  const last = Math.min(taps.length, samples.length - start);
  for (let k = first; k < last; k++) sum += taps[k]! * samples[start + k]!;
  return sum;
}

/** Hann-windowed sinc for the point `fraction` of the way from tap REACH - 1 to the next. */
function interpolator(fraction: number): Float64Array {
  const taps = Float64Array.from({ length: 2 * REACH }, (_, k) => {
    const distance = k - (REACH - 1) - fraction;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (REACH + 0.5));
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * window;
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
