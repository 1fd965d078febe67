import { Biquad } from '../signal/biquad';
import { percentile } from '../signal/statistics';

const BLOCK_SECS = 0.4;
const STEP_SECS = 0.1;
const SHORT_TERM_STEPS = 30;
const ABSOLUTE_GATE_LUFS = -70;

export interface Loudness {
  /** LUFS; null when nothing passes the absolute gate of -70 LUFS. */
  integratedLufs: number | null;
  /** LU; null when shorter than 3 s or silent. */
  rangeLu: number | null;
}

/**
 * Integrated loudness (ITU-R BS.1770-5: K weighting, 400 ms blocks with 75 % overlap, gates at -70 LUFS and -10 LU) and
 * loudness range (EBU Tech 3342: 3 s blocks, gates at -70 LUFS and -20 LU, 10th to 95th percentile).
 *
 * @param channels all channels with weight 1 (left, right or mono)
 */
export function measureLoudness(channels: Float32Array[], sampleRate: number): Loudness {
  const steps = stepPowers(channels, sampleRate);
  return { integratedLufs: integrate(steps), rangeLu: range(steps) };
}

/** Weighted power of every 100 ms, summed over the channels. */
function stepPowers(channels: Float32Array[], sampleRate: number): Float64Array {
  const size = Math.round(sampleRate * STEP_SECS);
  const filters = kWeighting(sampleRate);
  const powers = new Float64Array(Math.floor((channels[0]?.length ?? 0) / size));
  for (const channel of channels) addStepPowers(channel, filters, size, powers);
  return powers;
}

/** Both filters in one pass (direct form II transposed), so that ten minutes need no second copy of themselves. */
function addStepPowers(
  samples: Float32Array,
  [f, g]: [Biquad, Biquad],
  size: number,
  powers: Float64Array,
): void {
  let f1 = 0;
  let f2 = 0;
  let g1 = 0;
  let g2 = 0;
  for (let step = 0; step < powers.length; step++) {
    let sum = 0;
    for (let n = step * size; n < (step + 1) * size; n++) {
      const x = samples[n]!;
      const y = f.b0 * x + f1;
      f1 = f.b1 * x - f.a1 * y + f2;
      f2 = f.b2 * x - f.a2 * y;
      const z = g.b0 * y + g1;
      g1 = g.b1 * y - g.a1 * z + g2;
      g2 = g.b2 * y - g.a2 * z;
      sum += z * z;
    }
    powers[step]! += sum / size;
  }
}

function integrate(steps: Float64Array): number | null {
  const blocks = slidingMeans(steps, BLOCK_SECS / STEP_SECS).filter(
    (power) => lufs(power) > ABSOLUTE_GATE_LUFS,
  );
  if (blocks.length === 0) return null;
  const relativeGate = lufs(average(blocks)) - 10;
  return lufs(average(blocks.filter((power) => lufs(power) > relativeGate)));
}

function range(steps: Float64Array): number | null {
  const blocks = slidingMeans(steps, SHORT_TERM_STEPS).filter((power) => lufs(power) > ABSOLUTE_GATE_LUFS);
  if (blocks.length === 0) return null;
  const relativeGate = lufs(average(blocks)) - 20;
  const levels = blocks.map(lufs).filter((level) => level > relativeGate);
  return percentile(levels, 0.95) - percentile(levels, 0.1);
}

function slidingMeans(steps: Float64Array, width: number): number[] {
  const means: number[] = [];
  for (let end = width; end <= steps.length; end++) means.push(average(steps.subarray(end - width, end)));
  return means;
}

function average(values: ArrayLike<number>): number {
  let sum = 0;
  for (let n = 0; n < values.length; n++) sum += values[n]!;
  return sum / values.length;
}

function lufs(power: number): number {
  return -0.691 + 10 * Math.log10(power + 1e-15);
}

/**
 * The two K-weighting filters for any sample rate: the analogue shelf (+4 dB above 1.7 kHz) and high-pass (38 Hz)
 * behind the 48 kHz coefficients that BS.1770 lists, bilinear-transformed at this sample rate.
 */
function kWeighting(sampleRate: number): [Biquad, Biquad] {
  return [highShelf(sampleRate), rumbleFilter(sampleRate)];
}

function highShelf(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b0: (high + (band * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

function rumbleFilter(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}
