import { PowerSpectrum } from '../signal/fft';
import { COARSE, resample } from '../signal/resample';
import { percentile } from '../signal/statistics';

const WORKING_RATE = 5_500;
/** 0.37 s: long, so that a copy that is shifted by half a step has nearly the same frames. */
const FRAME = 2_048;
/** 11.6 ms. */
const HOP = 64;
export const FINGERPRINT_STEP_SECS = HOP / WORKING_RATE;
const BITS = 32;
const LOWEST_HZ = 300;
const HIGHEST_HZ = 2_000;
/** What follows is not looked at: a copy of a recording that long is known by its beginning. */
const LONGEST_SECS = 120;
/** Frames this far below the loud ones are pauses: what a codec leaves of them is chance. */
const PAUSE = 10 ** (-25 / 10);
/** A pause. A frame of speech whose bits are all 0 is one too, and is not missed. */
export const PAUSE_BITS = 0;
/** One frame in as many is looked up by, chosen by its bits: the same ones in every copy. */
const KEY_SHARE = 4;
/** The bits of a frame that are the most likely to be the other ones in a copy. */
const DOUBTFUL_BITS = 3;

export interface FingerprintOptions {
  /** What follows is not looked at. */
  longestSecs?: number;
  /** How many bits of a step may be the other ones in a copy: each one more doubles the lookups. */
  doubtfulBits?: number;
}

export interface RecordingFingerprint {
  /** 32 bits for each step of 11.6 ms; {@link PAUSE_BITS} in pauses. */
  steps: Uint32Array;
  /** Of these steps, those that recordings are found by; each once. */
  keys: Int32Array;
  /** The keys that a copy of this recording may have instead, besides its own. */
  lookups: Int32Array;
}

/**
 * Fingerprint of how a recording sounds, which survives codecs, sample rates and levels: the signs of differences of
 * energy between neighbouring bands (33 from 300 to 2000 Hz) and successive frames (J. Haitsma and T. Kalker, "A Highly
 * Robust Audio Fingerprinting System", ISMIR 2002). Of at most two minutes.
 */
export function fingerprintRecording(
  samples: Float32Array,
  sampleRate: number,
  { longestSecs = LONGEST_SECS, doubtfulBits = DOUBTFUL_BITS }: FingerprintOptions = {},
): RecordingFingerprint {
  const beginning = samples.subarray(0, longestSecs * sampleRate);
  const signal = resample(beginning, sampleRate, WORKING_RATE, COARSE);
  const bands = bandEnergies(signal);
  const count = Math.max(0, bands.length / (BITS + 1) - 1);
  const loud = loudness(bands, count);
  const steps = new Uint32Array(count);
  const keys = new Set<number>();
  const lookups = new Set<number>();
  for (let step = 0; step < count; step++) {
    if (!loud[step]) continue;
    const differences = differencesAt(bands, step);
    const bits = toBits(differences);
    steps[step] = bits;
    if (bits === PAUSE_BITS) continue;
    if (isKey(bits)) keys.add(bits | 0);
    for (const variant of variantsOf(bits, differences, doubtfulBits))
      if (isKey(variant)) lookups.add(variant | 0);
  }
  return { steps, keys: Int32Array.from(keys), lookups: Int32Array.from(lookups) };
}

/** The steps that a column has. A copy: its bytes may lie anywhere, and numbers may not. */
export function toSteps(bytes: Buffer): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** Energies of 33 bands of every frame, one frame after the other. */
function bandEnergies(signal: Float32Array): Float64Array {
  const count = Math.max(0, Math.floor((signal.length - FRAME) / HOP) + 1);
  const transform = PowerSpectrum.ofSize(FRAME);
  const power = new Float32Array(transform.bins);
  const edges = Array.from({ length: BITS + 2 }, (_, band) =>
    Math.round((LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** (band / (BITS + 1)) * FRAME) / WORKING_RATE),
  );
  const energies = new Float64Array(count * (BITS + 1));
  for (let frame = 0; frame < count; frame++) {
    transform.measure(signal, frame * HOP, power);
    for (let band = 0; band <= BITS; band++) {
      let sum = 0;
      for (let bin = edges[band]!; bin < edges[band + 1]!; bin++) sum += power[bin]!;
      energies[frame * (BITS + 1) + band] = sum;
    }
  }
  return energies;
}

function loudness(bands: Float64Array, count: number): boolean[] {
  const energies = Array.from({ length: count }, (_, step) => {
    let sum = 0;
    for (let band = 0; band <= BITS; band++) sum += bands[step * (BITS + 1) + band]!;
    return sum;
  });
  const loud = count === 0 ? 0 : percentile(energies, 0.9);
  return energies.map((energy) => energy > loud * PAUSE && energy > 0);
}

/** How the step from one band to the next changes from this frame to the following one, for each bit. */
function differencesAt(bands: Float64Array, step: number): Float64Array {
  const at = step * (BITS + 1);
  const next = at + BITS + 1;
  return Float64Array.from(
    { length: BITS },
    (_, bit) => bands[next + bit]! - bands[next + bit + 1]! - (bands[at + bit]! - bands[at + bit + 1]!),
  );
}

function toBits(differences: Float64Array): number {
  let bits = 0;
  for (let bit = 0; bit < BITS; bit++) if (differences[bit]! > 0) bits |= 1 << bit;
  return bits >>> 0;
}

/** The bits themselves, and with every choice of the most doubtful ones turned. */
function variantsOf(bits: number, differences: Float64Array, doubtfulBits: number): number[] {
  const variants = [bits];
  for (const bit of mostDoubtful(differences, doubtfulBits))
    for (let n = variants.length - 1; n >= 0; n--) variants.push((variants[n]! ^ (1 << bit)) >>> 0);
  return variants;
}

/** The bits with the least differences, in one pass. */
function mostDoubtful(differences: Float64Array, count: number): number[] {
  const found: number[] = [];
  for (let bit = 0; bit < BITS; bit++) {
    let at = found.length;
    const size = Math.abs(differences[bit]!);
    while (at > 0 && size < Math.abs(differences[found[at - 1]!]!)) at--;
    if (at === count) continue;
    found.splice(at, 0, bit);
    if (found.length > count) found.pop();
  }
  return found;
}

/**
 * Whether a step is one that recordings are found by. The top bits of a multiplicative hash (Knuth): as good as chance, and
 * the same everywhere.
 */
export function isKey(bits: number): boolean {
  return Math.imul(bits, 0x9e3779b1) >>> 0 < 2 ** 32 / KEY_SHARE;
}
