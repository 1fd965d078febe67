import { resample } from '../signal/resample';

const RATE = 16_000;
const WINDOW_SECS = 9.01;
/** Samples of one window: what a DNSMOS P.835 model takes; a P.808 model takes a spectrogram of most of it. */
export const WINDOW_SAMPLES = 144_160;
/** A window takes the P.835 model up to 2 s, so a long recording is sampled. */
const MOST_WINDOWS = 12;

/** Raw outputs of a P.835 model to the ACR scale: coefficients of x², x and 1 from the DNS Challenge's `dnsmos_local.py`. */
const TO_ACR = [
  [-0.08397278, 1.22083953, 0.0052439],
  [-0.13166888, 1.60915514, -0.39604546],
  [-0.06766283, 1.11546468, 0.04602535],
] as const;

/** The raw output of a P.808 model to the scores of listeners: a line fitted to those of the P.808 reference conditions. */
const TO_MOS = { slope: 1.667, offset: -2.075 };

/**
 * What DNSMOS (Reddy, Gopal and Cutler, P.808 2021, P.835 2022) listens to: windows of 9.01 s at 16 kHz that begin a
 * second apart; of a recording with more than twelve of them, twelve spread evenly. A shorter recording is repeated until
 * it fills one.
 *
 * @returns the windows one after the other, WINDOW_SAMPLES each
 */
export function cutWindows(samples: Float32Array, sampleRate: number): Float32Array {
  const size = Math.ceil(WINDOW_SECS * sampleRate);
  const recording = doubleUntil(samples, size);
  const possible = Math.trunc(Math.floor(recording.length / sampleRate) - WINDOW_SECS) + 1;
  const count = Math.min(possible, MOST_WINDOWS);
  const windows = new Float32Array(count * WINDOW_SAMPLES);
  for (let n = 0; n < count; n++) {
    const from = count === 1 ? 0 : Math.round((n * (possible - 1)) / (count - 1)) * sampleRate;
    const window = resample(recording.subarray(from, from + size), sampleRate, RATE);
    windows.set(window.subarray(0, WINDOW_SAMPLES), n * WINDOW_SAMPLES);
  }
  return windows;
}

/** Scores of one window on the ACR scale, from the raw SIG, BAK and OVRL of a P.835 model. */
export function toAcr(raw: ArrayLike<number>): { sig: number; bak: number; ovrl: number } {
  const [sig, bak, ovrl] = TO_ACR.map(([a, b, c], n) => (a * raw[n]! + b) * raw[n]! + c);
  return { sig: sig!, bak: bak!, ovrl: ovrl! };
}

/** The mean opinion score of one window, 1 to 5, from the raw output of a P.808 model. */
export function toMos(raw: number): number {
  return Math.min(5, Math.max(1, TO_MOS.slope * raw + TO_MOS.offset));
}

function doubleUntil(samples: Float32Array, length: number): Float32Array {
  let result = samples;
  while (result.length < length) {
    const doubled = new Float32Array(result.length * 2);
    doubled.set(result);
    doubled.set(result, result.length);
    result = doubled;
  }
  return result;
}
