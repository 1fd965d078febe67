import { PowerSpectrum } from '../signal/fft';
import { meanSquare, percentile, powerDb } from '../signal/statistics';

const FRAME_SECS = 0.04;
/** The edge is where the spectrum has fallen this far below its strongest part for good. */
const EDGE_BELOW_DB = 62;
/** An average of this many frames is steady enough. */
const MOST_FRAMES = 80;
/** What is quieter than this below the loud moments is a pause, dB. */
const AUDIBLE_DB = -30;
/** The quieter part of what is heard. */
const QUIETER_SHARE = 0.35;
const SMOOTHING_HZ = 150;
const EDGE_SEARCH_HZ = 400;

interface Bandwidth {
  edgeHz: number;
  /** dB from just below the edge to just above. */
  dropDb: number;
}

/**
 * Where the spectrum of the louder part of what is heard ends, however long the pauses are and whatever the sample rate claims: a telephone recording
 * stored at 48 kHz still ends at 3.4 kHz.
 */
export function measureBandwidth(samples: Float32Array, sampleRate: number): Bandwidth {
  const size = 2 ** Math.round(Math.log2(sampleRate * FRAME_SECS));
  const spectrum = meanSpectrum(samples, size);
  const binHz = sampleRate / size;
  const levels = smooth(spectrum, Math.max(1, Math.round(SMOOTHING_HZ / binHz / 2))).map(powerDb);
  const strongest = levels.subarray(Math.ceil(100 / binHz)).reduce((a, b) => Math.max(a, b), -200);
  let edge = levels.length - 1;
  while (edge > 0 && levels[edge]! < strongest - EDGE_BELOW_DB) edge--;
  const check = Math.round(EDGE_SEARCH_HZ / binHz);
  const above = levels[Math.min(levels.length - 1, edge + check)]!;
  const dropDb = edge + check >= levels.length ? 100 : levels[Math.max(0, edge - check)]! - above;
  return { edgeHz: Math.min(sampleRate / 2, edge * binHz), dropDb };
}

function meanSpectrum(samples: Float32Array, size: number): Float32Array {
  const transform = PowerSpectrum.ofSize(size);
  const frame = new Float32Array(transform.bins);
  const sum = new Float32Array(transform.bins);
  for (const at of loudFrames(samples, size)) {
    transform.measure(samples, at, frame);
    for (let bin = 0; bin < sum.length; bin++) sum[bin] = sum[bin]! + frame[bin]!;
  }
  return sum;
}

/** Pauses are left out first, so that longer ones change nothing. */
function loudFrames(samples: Float32Array, size: number): number[] {
  const starts: number[] = [];
  for (let at = 0; at + size <= samples.length; at += size) starts.push(at);
  const powers = starts.map((at) => meanSquare(samples, at, at + size));
  const pause = percentile(powers, 0.95) * 10 ** (AUDIBLE_DB / 10);
  const limit = percentile(
    powers.filter((power) => power >= pause),
    QUIETER_SHARE,
  );
  const loud = starts.filter((_, n) => powers[n]! >= limit);
  const stride = Math.ceil(loud.length / MOST_FRAMES);
  return loud.filter((_, n) => n % stride === 0);
}

function smooth(values: Float32Array, reach: number): Float32Array {
  return values.map((_, n) => {
    const from = Math.max(0, n - reach);
    const to = Math.min(values.length, n + reach + 1);
    let sum = 0;
    for (let k = from; k < to; k++) sum += values[k]!;
    return sum / (to - from);
  });
}
