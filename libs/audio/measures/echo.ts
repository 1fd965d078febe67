import { PowerSpectrum } from '../signal/fft';
import { SpeechFrames } from '../signal/speech-frames';

/** 4 s of 16 kHz. */
const SIZE = 65_536;
/** Shorter delays colour the sound of every desk; later ones are another recording. */
const SHORTEST_SECS = 0.004;
const LONGEST_SECS = 0.6;
/** What is below the voice or above the band says nothing. */
const FROM_HZ = 150;
const TO_SHARE = 0.84;
/** Speech and rooms reach 0.2. */
const LEAST = 0.28;
/** An echo has the opposite sign at twice its delay; a pitch that never changes has the same sign. */
const LEAST_OPPOSITE = 0.15;
/** More than any value of a cepstrum. */
const OFFSET = 8;

interface Echo {
  /** Level of the repeated sound re the first, dB. */
  levelDb: number;
  delaySecs: number;
}

/**
 * One clear echo, or the comb of a voice that arrives twice (a loudspeaker that plays into the microphone, a monitor, two
 * microphones added): a peak of the cepstrum as high as the echo is loud (B. P. Bogert et al., "The quefrency alanysis of
 * time series for echoes", 1963). Null without one.
 */
export function findEcho({ signal, sampleRate }: SpeechFrames): Echo | null {
  const from = Math.max(0, (signal.length - SIZE) >> 1);
  const cepstrum = cepstrumOf(signal.subarray(from, from + SIZE), sampleRate);
  let best = Math.ceil(SHORTEST_SECS * sampleRate);
  const last = Math.min(LONGEST_SECS * sampleRate, SIZE / 4 - 2);
  for (let lag = best; lag < last; lag++) if (cepstrum[lag]! > cepstrum[best]!) best = lag;
  const value = cepstrum[best]!;
  const opposite = Math.min(...[-1, 0, 1].map((step) => cepstrum[2 * best + step]!));
  if (value < LEAST || opposite > -LEAST_OPPOSITE * value) return null;
  return { levelDb: 20 * Math.log10(Math.min(1, value)), delaySecs: best / sampleRate };
}

/** Tables take longer than their use, and 2 MB: created once in a thread. */
let transform: PowerSpectrum | undefined;

/** Cosine transform of the logarithm of the power spectrum, so that an echo of amplitude a has a peak of about a. */
function cepstrumOf(signal: Float32Array, sampleRate: number): Float32Array {
  transform ??= new PowerSpectrum(SIZE, new Float64Array(SIZE).fill(1));
  const power = new Float32Array(transform.bins);
  transform.measure(signal, 0, power);
  const first = Math.ceil((FROM_HZ / sampleRate) * SIZE);
  const end = Math.floor((TO_SHARE * SIZE) / 2);
  let sum = 0;
  for (let bin = first; bin < end; bin++) {
    power[bin] = Math.log(power[bin]! + 1e-12);
    sum += power[bin]!;
  }
  const mean = sum / (end - first);
  const even = new Float32Array(SIZE);
  for (let bin = first; bin < end; bin++) {
    even[bin] = power[bin]! - mean;
    even[SIZE - bin] = even[bin]!;
  }
  // An even signal has a real spectrum. Its signs survive in the power, because the offset makes all of it positive.
  const scale = 2 * (end - first);
  even[0] = OFFSET * scale;
  transform.measure(even, 0, power);
  for (let lag = 0; lag < power.length; lag++) power[lag] = Math.sqrt(power[lag]!) / scale - OFFSET;
  return power;
}
