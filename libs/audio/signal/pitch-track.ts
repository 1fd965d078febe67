import { applyBiquad, highPass } from './biquad';

/** One entry every 10 ms. */
export interface PitchTrack {
  /** Hz; 0 where nothing periodic was found. */
  hz: Float32Array;
  /** Normalised correlation at one period, 0..1. */
  strength: Float32Array;
}

/** Enough for the first harmonics, which also telephone speech has. */
export const PITCH_RATE = 4000;
const HOP_SECS = 0.01;
/** 35 ms. */
const WINDOW = 140;
/** 60 to 420 Hz. */
const LONGEST_LAG = 67;
const SHORTEST_LAG = 9;
const LEAST_SCORE = 0.2;
/** Frames 25 dB below the mean level are not worth a look. */
const AUDIBLE_SHARE = 10 ** (-25 / 10);
/** A multiple of the period correlates as well as the period: the shortest lag nearly as good as the best wins. */
const NEARLY_AS_GOOD = 0.9;

/**
 * Pitch by normalised cross-correlation of neighbouring periods, every 10 ms.
 *
 * @param samples at PITCH_RATE
 */
export function trackPitch(samples: Float32Array): PitchTrack {
  const signal = applyBiquad(samples, highPass(70, PITCH_RATE));
  const energy = runningEnergy(signal);
  const frames = Math.floor(samples.length / (PITCH_RATE * HOP_SECS));
  const track = { hz: new Float32Array(frames), strength: new Float32Array(frames) };
  const scores = new Float64Array(LONGEST_LAG + 1);
  const audible = (energy[signal.length]! / Math.max(1, signal.length)) * AUDIBLE_SHARE * WINDOW;
  for (let frame = 0; frame < frames; frame++) {
    const centre = Math.round((frame + 0.5) * HOP_SECS * PITCH_RATE);
    if (!scoreLags(signal, energy, centre, audible, scores)) continue;
    const found = bestLag(scores);
    if (!found) continue;
    track.hz[frame] = PITCH_RATE / found.lag;
    track.strength[frame] = found.score;
  }
  return track;
}

/** Sum of squares before each sample, so that the energy of any stretch is one subtraction. */
function runningEnergy(signal: Float32Array): Float64Array {
  const sums = new Float64Array(signal.length + 1);
  for (let n = 0; n < signal.length; n++) sums[n + 1] = sums[n]! + signal[n]! * signal[n]!;
  return sums;
}

/** Fills in the normalised correlation at every lag around the centre; false without sound or room. */
function scoreLags(
  signal: Float32Array,
  energy: Float64Array,
  centre: number,
  audible: number,
  scores: Float64Array,
): boolean {
  const earliest = centre - ((WINDOW + LONGEST_LAG) >> 1);
  if (earliest < 0 || earliest + WINDOW + LONGEST_LAG >= signal.length) return false;
  if (energy[earliest + WINDOW]! - energy[earliest]! <= audible) return false;
  // An even lag begins where the next one does: two sums side by side, because one would wait for itself.
  for (let lag = SHORTEST_LAG & ~1; lag <= LONGEST_LAG; lag += 2) {
    const start = centre - ((WINDOW + lag) >> 1);
    let even = 0;
    let odd = 0;
    for (let n = start; n < start + WINDOW; n++) {
      const here = signal[n]!;
      even += here * signal[n + lag]!;
      odd += here * signal[n + lag + 1]!;
    }
    scores[lag] = even / loudness(energy, start, lag);
    scores[lag + 1] = odd / loudness(energy, start, lag + 1);
  }
  return true;
}

/** What the correlation of a stretch with the one `lag` later is relative to. */
function loudness(energy: Float64Array, start: number, lag: number): number {
  const here = energy[start + WINDOW]! - energy[start]!;
  const there = energy[start + WINDOW + lag]! - energy[start + lag]!;
  return Math.sqrt(here * there) + 1e-12;
}

function bestLag(scores: Float64Array): { lag: number; score: number } | null {
  let best = LEAST_SCORE;
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) if (scores[lag]! > best) best = scores[lag]!;
  for (let lag = SHORTEST_LAG + 1; lag < LONGEST_LAG; lag++) {
    const score = scores[lag]!;
    if (score < best * NEARLY_AS_GOOD || score < scores[lag - 1]! || score < scores[lag + 1]!) continue;
    return { lag: lag + peakOffset(scores[lag - 1]!, score, scores[lag + 1]!), score };
  }
  return null;
}

/** Top of the parabola through three neighbours, relative to the middle one. */
function peakOffset(before: number, top: number, after: number): number {
  const bend = before - 2 * top + after;
  return bend < 0 ? (0.5 * (before - after)) / bend : 0;
}
