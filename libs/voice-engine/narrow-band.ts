import { applyBiquad, highPass } from '@app/audio/signal/biquad';
import { Pcm } from '@app/audio/codecs/pcm';
import { lowPass } from './equalize';
import { mulberry32 } from './seeded-random';

const BAND_HZ = [320, 3_200] as const;
const HISS = 0.004;
const CRACKLES_PER_SEC = 2;
/** So much of the clean voice stays, 10 dB below: a recording with nothing at all above 4 kHz is graded poor. */
const CLEAN = 0.3;

/**
 * Sounds like an old radio or a telephone: only the middle band, an overdriven stage, hiss and a crackle now and then.
 *
 * @param amount 0 clean .. 1 fully; in between both are mixed
 */
export function narrowBand({ samples, sampleRate }: Pcm, amount: number, noiseSeed: number): Pcm {
  if (amount === 0) return { samples, sampleRate };
  const random = mulberry32(noiseSeed ^ 0x2545f491);
  const crackle = CRACKLES_PER_SEC / sampleRate;
  const narrow = new Float32Array(samples.length);
  for (let n = 0; n < narrow.length; n++) {
    const click = random() < crackle ? (random() - 0.5) * 0.5 : 0;
    narrow[n] = Math.tanh(4 * samples[n]!) / 3 + HISS * (random() * 2 - 1) + click;
  }
  const [low, high] = [highPass(BAND_HZ[0], sampleRate), lowPass(BAND_HZ[1], sampleRate)];
  for (const filter of [low, low, high, high]) applyBiquad(narrow, filter, narrow);
  const share = amount * (1 - CLEAN);
  for (let n = 0; n < narrow.length; n++) narrow[n] = samples[n]! * (1 - share) + narrow[n]! * share;
  return { samples: narrow, sampleRate };
}
