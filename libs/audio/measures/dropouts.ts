import type { Stretch } from '@app/domain/reviews/recording-places';
import { meanSquare } from '../signal/statistics';

const BLOCK_SECS = 0.001;
const SHORTEST_BLOCKS = 3;
const LONGEST_BLOCKS = 500;
/** The sound must break off from, and come back to, at least this share of the speech level. */
const LOUD_EDGE = 10 ** (-20 / 20);
/** Edges of fewer quantisation steps than this are a coarse recording, not sound that breaks off. */
const EDGE_STEPS = 4;
/** A gap is this far below its edges within two blocks: no consonant in a real room falls and rises so fast. */
const GAP_BELOW_EDGE = 10 ** (-28 / 10);
/** How long ago the repeated sound was: from the packets that concealment repeats to a syllable. */
const SHORTEST_LAG_SECS = 0.009;
const LONGEST_LAG_SECS = 0.5;
/** Where a stretch may begin in the table; every stretch is looked up. */
const ANCHOR_STEP = 16;
const TABLE_BITS = 16;
const FACTOR = 0x01000193;
/** Two periods of a voice never agree in every bit for this long. */
const REPEAT_SECS = 0.008;

interface Dropouts {
  per10Secs: number;
  /** Where the sound breaks off, or comes twice. */
  stretches: Stretch[];
}

/**
 * Breaks in the sound, how many per 10 s and where, as lost packets and buffer under-runs leave them: gaps of 3-500 ms, empty or filled with
 * quiet noise, that begin and end abruptly in the middle of speech; and stretches that come twice, as packets that
 * concealment repeats or stutter.
 *
 * @param speechRms level of the active speech as a share of full scale
 */
export function findDropouts(samples: Float32Array, sampleRate: number, speechRms: number): Dropouts {
  if (samples.length === 0) return { per10Secs: 0, stretches: [] };
  const loud = leastLoud(samples, speechRms);
  const stretches = [...findGaps(samples, sampleRate, loud), ...findRepeats(samples, sampleRate, loud)];
  return { per10Secs: (stretches.length * 10 * sampleRate) / samples.length, stretches };
}

function findGaps(samples: Float32Array, sampleRate: number, loud: number): Stretch[] {
  const size = Math.round(sampleRate * BLOCK_SECS);
  const powers = blockPowers(samples, size);
  const gaps: Stretch[] = [];
  for (let block = 3; block < powers.length; block++) {
    const before = steadyPower(powers, block - 3);
    const end = before > loud ? endOfGap(powers, block, before * GAP_BELOW_EDGE) : block;
    if (end - block < SHORTEST_BLOCKS || end - block > LONGEST_BLOCKS) continue;
    if (steadyPower(powers, end + 1) <= loud) continue;
    gaps.push({ fromSecs: (block * size) / sampleRate, toSecs: (end * size) / sampleRate });
    block = end;
  }
  return gaps;
}

/** The lesser power of two neighbours: a click is loud in one of them only. */
function steadyPower(powers: Float64Array, block: number): number {
  return Math.min(powers[block] ?? 0, powers[block + 1] ?? 0);
}

/** The first block at or after `from` that is not part of a gap. */
function endOfGap(powers: Float64Array, from: number, below: number): number {
  let end = from;
  while (end < powers.length && powers[end]! <= below) end++;
  return end;
}

function blockPowers(samples: Float32Array, size: number): Float64Array {
  const powers = new Float64Array(Math.floor(samples.length / size));
  for (let block = 0; block < powers.length; block++)
    powers[block] = meanSquare(samples, block * size, (block + 1) * size);
  return powers;
}

/** Power of sound that is part of the speech, and more than the rounding of a coarse recording. */
function leastLoud(samples: Float32Array, speechRms: number): number {
  const edge = speechRms * LOUD_EDGE;
  return Math.max(edge, quantisationStep(samples, edge / EDGE_STEPS) * EDGE_STEPS) ** 2;
}

/** The smallest sample that is not zero: a step of the recording's resolution, or less than one. One below `fine` is as good as any. */
function quantisationStep(samples: Float32Array, fine: number): number {
  let step = 1;
  for (let n = 0; n < samples.length && step > fine; n++) {
    const size = Math.abs(samples[n]!);
    if (size > 0 && size < step) step = size;
  }
  return step;
}

/** Where each hash was last; used again, because it is large. */
const lastSeen = new Int32Array(2 ** TABLE_BITS);

/**
 * Loud stretches that equal earlier ones in every bit. A rolling hash of 8 ms (Rabin and Karp) finds what to compare: a table
 * knows where each hash was last.
 */
function findRepeats(samples: Float32Array, sampleRate: number, loud: number): Stretch[] {
  const size = Math.round(sampleRate * REPEAT_SECS);
  const shortest = Math.round(sampleRate * SHORTEST_LAG_SECS);
  const longest = Math.round(sampleRate * LONGEST_LAG_SECS);
  const bits = new Int32Array(samples.buffer, samples.byteOffset, samples.length);
  const leaving = Array.from({ length: size }).reduce<number>((power) => Math.imul(power, FACTOR), 1);
  lastSeen.fill(-longest - 1);
  const repeats: Stretch[] = [];
  let checked = 0;
  let hash = 0;
  for (let end = 1; end <= samples.length; end++) {
    const gone = end > size ? Math.imul(bits[end - 1 - size]!, leaving) : 0;
    hash = (Math.imul(hash, FACTOR) + bits[end - 1]! - gone) | 0;
    if (end < size) continue;
    const slot = hash >>> (32 - TABLE_BITS);
    const lag = end - lastSeen[slot]!;
    if (end > checked && lag >= shortest && lag <= longest) {
      const repeatEnd = endOfRepeat(samples, end - size, lag);
      const run = repeatEnd - (end - size);
      // A longer run is a tone of the recording's own.
      if (run >= size && run <= lag * 1.5 && meanSquare(samples, end - size, repeatEnd) > loud)
        repeats.push({ fromSecs: (end - size) / sampleRate, toSecs: repeatEnd / sampleRate });
      if (run >= size) checked = repeatEnd;
    }
    if (end % ANCHOR_STEP === 0) lastSeen[slot] = end;
  }
  return repeats;
}

/** The first sample at or after `from` that is not what was `lag` before it. */
function endOfRepeat(samples: Float32Array, from: number, lag: number): number {
  let end = from;
  while (end < samples.length && samples[end] === samples[end - lag]) end++;
  return end;
}
