import { applyBiquad, highPass } from '../signal/biquad';
import { PITCH_RATE } from '../signal/pitch-track';
import { HOP_SECS, SpeechFrames } from '../signal/speech-frames';

const FEWEST_FRAMES = 60;
/** As many frames say as much as all. */
const MOST_FRAMES = 400;
/** 35 ms are compared, 400 Hz to 60 Hz. */
const WINDOW = 140;
const SHORTEST_LAG = 10;
const LONGEST_LAG = 67;
/** Samples around a frame in which the first voice is taken out. */
const REACH = WINDOW + LONGEST_LAG + 28;
/** What is left must be as periodic as this and no further below the whole: of one voice, its roughness is left. */
const PERIODIC = 0.7;
const LEAST_LEFT = 10 ** (-10 / 10);
/** A period this near to a multiple or a part of the first is the first voice again. */
const SAME_VOICE = 0.1;

/**
 * Share of the voiced sounds in which another voice, or music, is heard: the pitch is taken out (each sample less the one a
 * period before it), and what is left has its own pitch. One talker reads 0 to 0.03, two as loud 0.05 to 0.2. Null with
 * too few voiced sounds.
 */
export function measureSecondVoice({ lowBand, pitch, voiced }: SpeechFrames): number | null {
  if (voiced.length < FEWEST_FRAMES) return null;
  const signal = applyBiquad(lowBand, highPass(70, PITCH_RATE));
  const step = Math.ceil(voiced.length / MOST_FRAMES);
  let [heard, count] = [0, 0];
  for (let n = 0; n < voiced.length; n += step) {
    const frame = voiced[n]!;
    const period = PITCH_RATE / pitch.hz[frame]!;
    const start = Math.round((frame + 0.5) * HOP_SECS * PITCH_RATE) - (REACH >> 1);
    if (start - LONGEST_LAG - 1 < 0 || start + REACH > signal.length) continue;
    count++;
    if (hasAnotherPitch(signal, start, period)) heard++;
  }
  return count === 0 ? null : heard / count;
}

const left = new Float64Array(REACH);
/** The energy of `left` before each of its samples. */
const energy = new Float64Array(REACH + 1);

function hasAnotherPitch(signal: Float32Array, start: number, period: number): boolean {
  const whole = Math.floor(period);
  const part = period - whole;
  let [before, after] = [0, 0];
  for (let n = 0; n < REACH; n++) {
    const at = start + n;
    const rest = signal[at]! - (1 - part) * signal[at - whole]! - part * signal[at - whole - 1]!;
    left[n] = rest;
    after += rest * rest;
    energy[n + 1] = after;
    before += 2 * signal[at]! * signal[at]!;
  }
  if (after < before * LEAST_LEFT) return false;
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++)
    if (!isSameVoice(lag / period) && correlation(lag) > PERIODIC) return true;
  return false;
}

function isSameVoice(ratio: number): boolean {
  const nearest = Math.max(1, Math.round(ratio < 1 ? 1 / ratio : ratio));
  const off = Math.abs((ratio < 1 ? 1 / ratio : ratio) / nearest - 1);
  return off < SAME_VOICE;
}

/** Normalised correlation of what is left with itself. */
function correlation(lag: number): number {
  const from = (REACH - WINDOW - lag) >> 1;
  let cross = 0;
  for (let n = from; n < from + WINDOW; n++) cross += left[n]! * left[n + lag]!;
  const here = energy[from + WINDOW]! - energy[from]!;
  const there = energy[from + lag + WINDOW]! - energy[from + lag]!;
  return cross / (Math.sqrt(here * there) + 1e-12);
}
