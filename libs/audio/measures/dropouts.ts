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
/** What concealment of lost packets repeats. */
const PACKET_SECS = [0.01, 0.02, 0.03, 0.04, 0.06];
/** Two periods of a voice never agree in every bit for this long. */
const REPEAT_SECS = 0.008;

/**
 * Breaks in the sound, per 10 s, as lost packets and buffer under-runs leave them: gaps of 3-500 ms, empty or filled with
 * quiet noise, that begin and end abruptly in the middle of speech; and packets that were sent twice.
 *
 * @param speechRms level of the active speech as a share of full scale
 */
export function countDropouts(samples: Float32Array, sampleRate: number, speechRms: number): number {
  if (samples.length === 0) return 0;
  const count = countGaps(samples, sampleRate, speechRms) + countRepeats(samples, sampleRate, speechRms);
  return (count * 10 * sampleRate) / samples.length;
}

function countGaps(samples: Float32Array, sampleRate: number, speechRms: number): number {
  const powers = blockPowers(samples, Math.round(sampleRate * BLOCK_SECS));
  const loud = Math.max(speechRms * LOUD_EDGE, quantisationStep(samples) * EDGE_STEPS) ** 2;
  let count = 0;
  for (let block = 3; block < powers.length; block++) {
    const before = steadyPower(powers, block - 3);
    const end = before > loud ? endOfGap(powers, block, before * GAP_BELOW_EDGE) : block;
    if (end - block < SHORTEST_BLOCKS || end - block > LONGEST_BLOCKS) continue;
    if (steadyPower(powers, end + 1) <= loud) continue;
    count++;
    block = end;
  }
  return count;
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

/** The smallest sample that is not zero: a step of the recording's resolution, or less than one. */
function quantisationStep(samples: Float32Array): number {
  let step = 1;
  for (let n = 0; n < samples.length; n++) {
    const size = samples[n]! < 0 ? -samples[n]! : samples[n]!;
    if (size > 0 && size < step) step = size;
  }
  return step;
}

function countRepeats(samples: Float32Array, sampleRate: number, speechRms: number): number {
  return PACKET_SECS.reduce(
    (sum, secs) => sum + countRepeatsAt(samples, Math.round(sampleRate * secs), sampleRate, speechRms),
    0,
  );
}

/** Stretches that equal what was `lag` samples before in every bit, and are loud. */
function countRepeatsAt(samples: Float32Array, lag: number, sampleRate: number, speechRms: number): number {
  const enough = sampleRate * REPEAT_SECS;
  const loud = (speechRms * LOUD_EDGE) ** 2;
  let count = 0;
  let run = 0;
  let energy = 0;
  for (let n = lag; n <= samples.length; n++) {
    const sample = samples[n]!;
    if (n < samples.length && sample === samples[n - lag]!) {
      run++;
      energy += sample * sample;
      continue;
    }
    // A longer run is a tone of the recording's own, not a packet.
    if (run >= enough && run <= lag * 1.5 && energy > loud * run) count++;
    run = 0;
    energy = 0;
  }
  return count;
}
