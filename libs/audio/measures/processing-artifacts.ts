import { SpeechFrames } from '../signal/speech-frames';
import { mean } from '../signal/statistics';

const FROM_HZ = 300;
const TO_HZ = 3_400;
/** Neighbouring bins that natural unvoiced sound fills evenly. */
const GROUP = 8;
/** Unvoiced: hardly periodic, but audible (within 30 dB of the speech, 6 dB above the noise). */
const UNVOICED_STRENGTH = 0.5;
const AUDIBLE_SHARE = 10 ** (-30 / 10);
const ABOVE_NOISE = 4;
const FEWEST_FRAMES = 12;

/**
 * How peaky the spectrum of unvoiced sounds is, dB: arithmetic over geometric mean of neighbouring bins, 300-3400 Hz.
 *
 * Breath, hiss and fricatives are noise, with every speaker, microphone and steady noise: they
 * read 1.6 to 2.5 dB. Noise suppression and low-bitrate codecs punch holes between the bins that they keep ("musical
 * noise") and read 3 dB and more. Null with too few unvoiced sounds.
 */
export function measureUnvoicedPeakiness(frames: SpeechFrames): number | null {
  const readings: number[] = [];
  for (let frame = 0; frame < frames.count; frame++) {
    if (isUnvoiced(frames, frame)) readings.push(peakiness(frames, frame));
  }
  return readings.length < FEWEST_FRAMES ? null : mean(readings);
}

function isUnvoiced({ pitch, power, speechPower, noise }: SpeechFrames, frame: number): boolean {
  const level = power[frame]!;
  return (
    pitch.strength[frame]! < UNVOICED_STRENGTH &&
    level > speechPower * AUDIBLE_SHARE &&
    level > noise.power * ABOVE_NOISE
  );
}

function peakiness({ spectra, bins, binHz, speechPower }: SpeechFrames, frame: number): number {
  const last = frame * bins + Math.floor(TO_HZ / binHz) - GROUP;
  const readings: number[] = [];
  for (let from = frame * bins + Math.ceil(FROM_HZ / binHz); from <= last; from += GROUP / 2) {
    readings.push(arithmeticOverGeometricDb(spectra, from, speechPower * 1e-9));
  }
  return mean(readings);
}

function arithmeticOverGeometricDb(spectra: Float32Array, from: number, silence: number): number {
  let sum = 0;
  let product = 1;
  for (let bin = from; bin < from + GROUP; bin++) {
    const power = spectra[bin]! / silence + 1;
    sum += power;
    product *= power;
  }
  return 10 * Math.log10(sum / GROUP) - (10 * Math.log10(product)) / GROUP;
}
