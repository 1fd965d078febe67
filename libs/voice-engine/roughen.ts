import { Pcm } from '@app/audio/codecs/pcm';
import { mulberry32 } from './seeded-random';
import { whisper } from './whisper';

/** How far the voice gives way to breath, and how loud that is beside it, for an amount of 1. */
const VOICE_LOST = 0.35;
/** From here on the voice fades, until the folds do not sound any more: a whisper. */
const FADES_FROM = 1.25;
const WHISPERED_FROM = 1.75;
/** How often a voice trembles in a second, and by how much of its pitch and of its loudness for an amount of 1. */
const TREMOR_HZ = 5.5;
const TREMOR_PITCH = 0.035;
const TREMOR_DEPTH = 0.3;
const BREATH_SHARE = 0.45;

/**
 * Adds the noise of air in the throat: the same words whispered, while the voice itself gives way. Noise that only
 * followed the loudness would sound like a bad codec.
 *
 * @param amount 0 none .. 2 a whisper
 */
export function addBreath({ samples, sampleRate }: Pcm, amount: number, noiseSeed: number): Pcm {
  if (amount === 0) return { samples, sampleRate };
  const whispered = whisper(samples, sampleRate, noiseSeed);
  const fading = (amount - FADES_FROM) / (WHISPERED_FROM - FADES_FROM);
  const voiceGain = (1 - VOICE_LOST * amount) * Math.min(1, Math.max(0, 1 - fading));
  const breathGain = BREATH_SHARE * amount;
  for (let n = 0; n < samples.length; n++)
    whispered[n] = samples[n]! * voiceGain + whispered[n]! * breathGain;
  return { samples: whispered, sampleRate };
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
  const rough = new Float32Array(samples.length);
  let phase = 0;
  let wander = 0;
  for (let n = 0; n < samples.length; n++) {
    wander = wander * 0.999 + (random() - 0.5) * 0.03;
    phase += (Math.PI * f0 * (1 + wander)) / sampleRate;
    rough[n] = samples[n]! * (1 - depth * (0.5 + 0.5 * Math.sin(phase)));
  }
  return { samples: rough, sampleRate };
}

/**
 * Lets pitch and loudness tremble, a little irregularly.
 *
 * @param amount 0 none .. 1.5
 */
export function addTremor({ samples, sampleRate }: Pcm, amount: number, noiseSeed: number): Pcm {
  if (amount === 0) return { samples, sampleRate };
  const random = mulberry32(noiseSeed ^ 0x27d4eb2f);
  // Played from places that swing by so many samples, the pitch swings by its share.
  const swing = (amount * TREMOR_PITCH * sampleRate) / (2 * Math.PI * TREMOR_HZ);
  const shaky = new Float32Array(samples.length);
  let phase = 0;
  let wander = 0;
  for (let n = 0; n < samples.length; n++) {
    wander = wander * 0.9995 + (random() - 0.5) * 0.01;
    phase += (2 * Math.PI * TREMOR_HZ * (1 + wander)) / sampleRate;
    const place = n + swing * Math.sin(phase);
    const before = Math.floor(place);
    const share = place - before;
    const sample = (samples[before] ?? 0) * (1 - share) + (samples[before + 1] ?? 0) * share;
    shaky[n] = sample * (1 - amount * TREMOR_DEPTH * (0.5 + 0.5 * Math.cos(phase)));
  }
  return { samples: shaky, sampleRate };
}
