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
/** 10 ms. */
const HOP = PITCH_RATE / 100;
/** 35 ms. */
const WINDOW = 140;
/** A window has seven parts of half a hop, of which five are parts of the next window too: each is summed once. */
const PART = HOP / 2;
const PARTS = WINDOW / PART;
/** Frames whose correlations are computed together. */
const CHUNK = 100;
/** 60 to 420 Hz. */
const LONGEST_LAG = 67;
const SHORTEST_LAG = 9;
const LAGS = LONGEST_LAG + 1;
/** Samples before its centre that a frame begins at. */
const REACH = (WINDOW + LONGEST_LAG) >> 1;
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
  // Each sample is read many times: once they are doubles, none is converted again.
  const signal = new Float64Array(applyBiquad(samples, highPass(70, PITCH_RATE)));
  const energy = runningEnergy(signal);
  const frames = Math.floor(samples.length / HOP);
  const track = { hz: new Float32Array(frames), strength: new Float32Array(frames) };
  const audible = (energy[signal.length]! / Math.max(1, signal.length)) * AUDIBLE_SHARE * WINDOW;
  const first = Math.ceil((REACH - HOP / 2) / HOP);
  const end = Math.min(frames, Math.ceil((signal.length - WINDOW - LONGEST_LAG + REACH - HOP / 2) / HOP));
  const scores = new Float64Array(CHUNK * LAGS);
  for (let from = first; from < end; from += CHUNK) {
    const to = Math.min(end, from + CHUNK);
    scoreLags(signal, energy, from, to, scores);
    for (let frame = from; frame < to; frame++) {
      const earliest = centreOf(frame) - REACH;
      if (energy[earliest + WINDOW]! - energy[earliest]! <= audible) continue;
      const found = bestLag(scores, (frame - from) * LAGS);
      if (!found) continue;
      track.hz[frame] = PITCH_RATE / found.lag;
      track.strength[frame] = found.score;
    }
  }
  return track;
}

/** The sample in the middle of a frame. */
const centreOf = (frame: number) => frame * HOP + HOP / 2;

/** Sum of squares before each sample, so that the energy of any stretch is one subtraction. */
function runningEnergy(signal: Float64Array): Float64Array {
  const sums = new Float64Array(signal.length + 1);
  for (let n = 0; n < signal.length; n++) sums[n + 1] = sums[n]! + signal[n]! * signal[n]!;
  return sums;
}

/** Fills in the normalised correlation at every lag around the centre of each frame, LAGS of a frame after the other. */
function scoreLags(
  signal: Float64Array,
  energy: Float64Array,
  from: number,
  to: number,
  scores: Float64Array,
): void {
  const parts = 2 * (to - from - 1) + PARTS;
  // An even lag begins where the next one does: two sums side by side, because one would wait for itself.
  for (let lag = SHORTEST_LAG & ~1; lag <= LONGEST_LAG; lag += 2) {
    let start = centreOf(from) - ((WINDOW + lag) >> 1);
    for (let part = 0; part < parts; part++) {
      let even = 0;
      let odd = 0;
      const end = start + (part + 1) * PART;
      for (let n = end - PART; n < end; n++) {
        const here = signal[n]!;
        even += here * signal[n + lag]!;
        odd += here * signal[n + lag + 1]!;
      }
      evenParts[part] = even;
      oddParts[part] = odd;
    }
    for (let n = 0; n < to - from; n++, start += HOP) {
      scores[n * LAGS + lag] = sumOfParts(evenParts, 2 * n) / loudness(energy, start, lag);
      scores[n * LAGS + lag + 1] = sumOfParts(oddParts, 2 * n) / loudness(energy, start, lag + 1);
    }
  }
}

const evenParts = new Float64Array(2 * CHUNK + PARTS);
const oddParts = new Float64Array(2 * CHUNK + PARTS);

function sumOfParts(parts: Float64Array, from: number): number {
  let sum = 0;
  for (let n = from; n < from + PARTS; n++) sum += parts[n]!;
  return sum;
}

/** What the correlation of a stretch with the one `lag` later is relative to. */
function loudness(energy: Float64Array, start: number, lag: number): number {
  const here = energy[start + WINDOW]! - energy[start]!;
  const there = energy[start + WINDOW + lag]! - energy[start + lag]!;
  return Math.sqrt(here * there) + 1e-12;
}

/** @param at where the scores of a frame begin */
function bestLag(scores: Float64Array, at: number): { lag: number; score: number } | null {
  let best = LEAST_SCORE;
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) best = Math.max(best, scores[at + lag]!);
  for (let lag = SHORTEST_LAG + 1; lag < LONGEST_LAG; lag++) {
    const score = scores[at + lag]!;
    const before = scores[at + lag - 1]!;
    const after = scores[at + lag + 1]!;
    if (score < best * NEARLY_AS_GOOD || score < before || score < after) continue;
    return { lag: lag + peakOffset(before, score, after), score };
  }
  return null;
}

/** Top of the parabola through three neighbours, relative to the middle one. */
function peakOffset(before: number, top: number, after: number): number {
  const bend = before - 2 * top + after;
  return bend < 0 ? (0.5 * (before - after)) / bend : 0;
}
