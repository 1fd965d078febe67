import { applyBiquad, Biquad } from '@app/audio/signal/biquad';
import { Pcm } from '@app/audio/codecs/pcm';

const TILT_HZ = 1_500;
const NASAL_HZ = 1_000;
const NASAL_DIP_HZ = 450;

/** Brighter (positive dB above about 1.5 kHz) or darker (negative). */
export function tilt({ samples, sampleRate }: Pcm, tiltDb: number): Pcm {
  if (tiltDb === 0) return { samples, sampleRate };
  return { samples: applyBiquad(samples, highShelf(TILT_HZ, tiltDb, sampleRate)), sampleRate };
}

/** The resonance of speech through the nose: a peak near 1 kHz and a dip below it. */
export function nasalize({ samples, sampleRate }: Pcm, nasalDb: number): Pcm {
  if (nasalDb === 0) return { samples, sampleRate };
  const peaked = applyBiquad(samples, peak(NASAL_HZ, nasalDb, 2, sampleRate));
  return { samples: applyBiquad(peaked, peak(NASAL_DIP_HZ, -nasalDb * 0.7, 1.4, sampleRate)), sampleRate };
}

/** Second-order low-pass. Formulas of this file: R. Bristow-Johnson, Audio EQ Cookbook. */
export function lowPass(cutoffHz: number, sampleRate: number): Biquad {
  const { cos, alpha } = angles(cutoffHz, Math.SQRT1_2, sampleRate);
  const b1 = 1 - cos;
  return normalize([b1 / 2, b1, b1 / 2], [1 + alpha, -2 * cos, 1 - alpha]);
}

function peak(centreHz: number, gainDb: number, q: number, sampleRate: number): Biquad {
  const { cos, alpha } = angles(centreHz, q, sampleRate);
  const a = 10 ** (gainDb / 40);
  return normalize([1 + alpha * a, -2 * cos, 1 - alpha * a], [1 + alpha / a, -2 * cos, 1 - alpha / a]);
}

function highShelf(cornerHz: number, gainDb: number, sampleRate: number): Biquad {
  const { cos, alpha } = angles(cornerHz, Math.SQRT1_2, sampleRate);
  const a = 10 ** (gainDb / 40);
  const slope = 2 * Math.sqrt(a) * alpha;
  const [more, less] = [a + 1, a - 1];
  return normalize(
    [a * (more + less * cos + slope), -2 * a * (less + more * cos), a * (more + less * cos - slope)],
    [more - less * cos + slope, 2 * (less - more * cos), more - less * cos - slope],
  );
}

function angles(hz: number, q: number, sampleRate: number): { cos: number; alpha: number } {
  const w = (2 * Math.PI * hz) / sampleRate;
  return { cos: Math.cos(w), alpha: Math.sin(w) / (2 * q) };
}

function normalize(b: [number, number, number], [a0, a1, a2]: [number, number, number]): Biquad {
  return { b0: b[0] / a0, b1: b[1] / a0, b2: b[2] / a0, a1: a1 / a0, a2: a2 / a0 };
}
