import { meanSquare } from '../signal/statistics';

const SHORTEST_SECS = 0.003;
const LONGEST_SECS = 0.5;
const EDGE_SECS = 0.002;
/** Below this share of the speech level there is nothing; a stop consonant in a real room never is this silent. */
const NOTHING = 10 ** (-70 / 20);
/** The sound must break off from, and come back to, at least this share of the speech level. */
const LOUD_EDGE = 10 ** (-20 / 20);

/**
 * Holes in the sound, per 10 s: stretches of 3-500 ms of nothing that begin and end abruptly in the middle of
 * speech, as lost packets and buffer under-runs leave them.
 *
 * @param speechRms level of the active speech as a share of full scale
 */
export function countDropouts(samples: Float32Array, sampleRate: number, speechRms: number): number {
  const silence = speechRms * NOTHING;
  const edge = Math.round(sampleRate * EDGE_SECS);
  const loudEnough = (speechRms * LOUD_EDGE) ** 2;
  let count = 0;
  let start = -1;
  for (let n = 0; n <= samples.length; n++) {
    const sample = n < samples.length ? samples[n]! : Infinity;
    const silent = sample <= silence && sample >= -silence;
    if (silent && start < 0) start = n;
    if (silent || start < 0) continue;
    const length = n - start;
    const isHole = length >= SHORTEST_SECS * sampleRate && length <= LONGEST_SECS * sampleRate;
    if (isHole && edgesAreLoud(samples, start, n, edge, loudEnough)) count++;
    start = -1;
  }
  return samples.length === 0 ? 0 : (count * 10 * sampleRate) / samples.length;
}

function edgesAreLoud(
  samples: Float32Array,
  start: number,
  end: number,
  edge: number,
  loud: number,
): boolean {
  if (start < edge || end + edge > samples.length) return false;
  return meanSquare(samples, start - edge, start) > loud && meanSquare(samples, end, end + edge) > loud;
}
