import { resample } from '@app/audio/signal/resample';

/** The recorded voices have little above 7 kHz of their 8: a short filter is enough, and several times as fast. */
const SPEECH_QUALITY = { crossings: 10, beta: 5 };

/** `resample` for what Flite speaks. */
export function resampleSpeech(samples: Float32Array, from: number, to: number): Float32Array {
  return resample(samples, from, to, SPEECH_QUALITY);
}
