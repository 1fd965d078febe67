import { applyBiquad, highPass } from '@app/audio/signal/biquad';
import { Pcm } from '@app/audio/codecs/pcm';
import { mulberry32 } from './seeded-random';

const TOP_HZ = 6_200;
const UPPER_HZ = 4_000;
const SHARE = 0.7;

/**
 * Fills the top of the band, where the recorded voices have little and long vocal tracts nothing: noise that follows the
 * sounds above 4 kHz, so an "s" gets most of it and a vowel hardly any.
 */
export function fillTop({ samples, sampleRate }: Pcm, noiseSeed: number): Pcm {
  const random = mulberry32(noiseSeed ^ 0x1b873593);
  const level = envelope(applyBiquad(samples, highPass(UPPER_HZ, sampleRate)), sampleRate);
  // Loops here and in its neighbours: `map` of a typed array takes several times as long.
  const top = new Float32Array(samples.length);
  for (let n = 0; n < top.length; n++) top[n] = (random() * 2 - 1) * level[n]! * SHARE;
  const filter = highPass(TOP_HZ, sampleRate);
  applyBiquad(applyBiquad(top, filter, top), filter, top);
  for (let n = 0; n < top.length; n++) top[n]! += samples[n]!;
  return { samples: top, sampleRate };
}

/** Loudness over time: fast to rise (3 ms), slow to fall (30 ms). */
function envelope(samples: Float32Array, sampleRate: number): Float32Array {
  const rise = Math.exp(-1 / (0.003 * sampleRate));
  const fall = Math.exp(-1 / (0.03 * sampleRate));
  const levels = new Float32Array(samples.length);
  let level = 0;
  for (let n = 0; n < samples.length; n++) {
    const now = Math.abs(samples[n]!);
    const keep = now > level ? rise : fall;
    level = keep * level + (1 - keep) * now;
    levels[n] = level;
  }
  return levels;
}
