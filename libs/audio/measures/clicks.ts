import type { Stretch } from '@app/domain/reviews/recording-places';
import { percentile } from '../signal/statistics';

const BLOCK_SECS = 0.001;
/** A click bends the wave by at least this many times the speech level... */
const BEND_OF_SPEECH = 2.5;
/** ... and this many times as much as all but two of the 12 ms on either side. */
const ABOVE_SURROUNDINGS = 8;
const SURROUNDING_BLOCKS = 12;
const SURROUNDING_SHARE = 0.9;
const SHORTEST_RECORDING_SECS = 5;

interface Clicks {
  per10Secs: number;
  stretches: Stretch[];
}

/**
 * Clicks and pops: how many per 10 s (of a recording shorter than 5 s, as if it had 5): single moments where the wave bends far
 * more sharply than in the 12 ms around, as static, bad edits and lost synchronisation leave them. The loudest consonants
 * stay below.
 *
 * @param speechRms level of the active speech as a share of full scale
 */
export function findClicks(samples: Float32Array, sampleRate: number, speechRms: number): Clicks {
  const size = Math.max(4, Math.round(sampleRate * BLOCK_SECS));
  const bends = blockBends(samples, size);
  const stretches: Stretch[] = [];
  for (let block = SURROUNDING_BLOCKS; block < bends.length - SURROUNDING_BLOCKS; block++) {
    if (bends[block]! < speechRms * BEND_OF_SPEECH || !isClick(bends, block)) continue;
    stretches.push({ fromSecs: (block * size) / sampleRate, toSecs: ((block + 1) * size) / sampleRate });
    block += 2;
  }
  const secs = Math.max(SHORTEST_RECORDING_SECS, samples.length / sampleRate);
  return { per10Secs: (stretches.length * 10) / secs, stretches };
}

function isClick(bends: Float64Array, block: number): boolean {
  const around = [
    ...bends.subarray(block - SURROUNDING_BLOCKS, block - 1),
    ...bends.subarray(block + 2, block + SURROUNDING_BLOCKS + 1),
  ];
  return bends[block]! > ABOVE_SURROUNDINGS * percentile(around, SURROUNDING_SHARE);
}

/** The sharpest bend (second difference) of each block. */
function blockBends(samples: Float32Array, size: number): Float64Array {
  const bends = new Float64Array(Math.floor(samples.length / size));
  for (let block = 0; block < bends.length; block++) {
    let sharpest = 0;
    for (let n = Math.max(2, block * size); n < (block + 1) * size; n++) {
      const bend = samples[n]! - 2 * samples[n - 1]! + samples[n - 2]!;
      if (bend > sharpest) sharpest = bend;
      else if (-bend > sharpest) sharpest = -bend;
    }
    bends[block] = sharpest;
  }
  return bends;
}
