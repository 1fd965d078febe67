import { applyBiquad, highPass } from '@app/audio/signal/biquad';
import { Pcm } from '@app/audio/codecs/pcm';
import { mulberry32 } from './seeded-random';

const BREATH_BAND_HZ = 1_800;

/**
 * Adds the noise of air: high-passed noise that follows the loudness of the speech, while the voice itself gives way.
 *
 * @param amount 0 none .. 2 nearly a whisper
 */
export function addBreath({ samples, sampleRate }: Pcm, amount: number, noiseSeed: number): Pcm {
  if (amount === 0) return { samples, sampleRate };
  const random = mulberry32(noiseSeed);
  const noise = Float32Array.from(samples, () => random() * 2 - 1);
  const air = applyBiquad(noise, highPass(BREATH_BAND_HZ, sampleRate));
  const loudness = envelope(samples, sampleRate);
  const voiceGain = 1 - 0.35 * amount;
  return {
    samples: samples.map((x, n) => x * voiceGain + air[n]! * loudness[n]! * 0.5 * amount),
    sampleRate,
  };
}

/**
 * Roughens the voice as irregular vocal folds do: every other period is weaker, with a wandering rate.
 *
 * @param amount 0 none .. 1.5
 * @param f0 pitch of the voice in Hz
 */
export function addGravel({ samples, sampleRate }: Pcm, amount: number, f0: number, noiseSeed: number): Pcm {
  if (amount === 0) return { samples, sampleRate };
  const random = mulberry32(noiseSeed ^ 0x5bd1e995);
  const depth = Math.min(0.8, 0.5 * amount);
  let [phase, wander] = [0, 0];
  const rough = samples.map((x) => {
    wander = wander * 0.999 + (random() - 0.5) * 0.03;
    phase += (Math.PI * f0 * (1 + wander)) / sampleRate;
    return x * (1 - depth * (0.5 + 0.5 * Math.sin(phase)));
  });
  return { samples: rough, sampleRate };
}

/** Loudness over time: fast to rise (3 ms), slow to fall (30 ms). */
function envelope(samples: Float32Array, sampleRate: number): Float32Array {
  const rise = Math.exp(-1 / (0.003 * sampleRate));
  const fall = Math.exp(-1 / (0.03 * sampleRate));
  let level = 0;
  return samples.map((x) => {
    const now = Math.abs(x);
    const keep = now > level ? rise : fall;
    level = keep * level + (1 - keep) * now;
    return level;
  });
}
