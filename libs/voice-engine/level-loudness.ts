import { measureLoudness } from '@app/audio/measures/loudness';
import { findExtremes } from '@app/audio/signal/extremes';
import { Pcm, scale } from '@app/audio/codecs/pcm';
import { measureTruePeak } from '@app/audio/measures/true-peak';

const KNEE = 10 ** (-4 / 20);
const CEILING = 10 ** (-1 / 20);
/** Bending the peaks takes a little loudness away again, so the gain is corrected once or twice. */
const ROUNDS = 3;

/**
 * Brings speech to an integrated loudness (LUFS, ITU-R BS.1770): a gain, with peaks above -4 dBFS bent softly and no
 * true peak above -1 dBFS. Sound that is too short or too quiet to measure keeps its level.
 */
export function levelTo({ samples, sampleRate }: Pcm, lufs: number): Pcm {
  let gainDb = 0;
  let levelled = samples;
  for (let round = 0; round < ROUNDS; round++) {
    const measured = measureLoudness([levelled], sampleRate).integratedLufs;
    if (measured === null || Math.abs(lufs - measured) < 0.05) break;
    gainDb += lufs - measured;
    levelled = bendPeaks(samples, 10 ** (gainDb / 20));
  }
  const over = measureTruePeak(levelled, findExtremes(levelled, sampleRate)) / CEILING;
  return { samples: over > 1 ? scale(levelled, 1 / over) : levelled, sampleRate };
}

function bendPeaks(samples: Float32Array, gain: number): Float32Array {
  const room = CEILING - KNEE;
  const bent = scale(samples, gain);
  for (let n = 0; n < bent.length; n++) {
    const over = Math.abs(bent[n]!) - KNEE;
    if (over > 0) bent[n] = Math.sign(bent[n]!) * (KNEE + room * Math.tanh(over / room));
  }
  return bent;
}
