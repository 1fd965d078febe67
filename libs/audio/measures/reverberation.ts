import { bandPower, SpeechFrames } from '../signal/speech-frames';
import { percentile, powerDb } from '../signal/statistics';

const BANDS_HZ: [number, number][] = [
  [400, 800],
  [800, 1_600],
  [1_600, 3_400],
];
const FRAMES_PER_SEC = 100;
/** A slope is the straight line through 130 ms. */
const SLOPE_FRAMES = 13;
const ABOVE_NOISE_DB = 10;
const BELOW_PEAK_DB = 45;
/** 1.2 s of speech have too few ends of sounds: the steepest of them may be no room's. */
const FEWEST_SLOPES = 250;
/** With less range between peaks and noise, fast decays drown before they can be measured... */
const FULL_RANGE_DB = 40;
/** ... and what is left to measure is believed only if it uses up no more than this share of the range. */
const TRUSTED_SHARE_OF_RANGE = 0.55;
const STEEPEST_SHARE = 0.05;
/** Sound that falls faster than this dies away, dB/s. Half of all slopes of speech do, and more in an echoing room. */
const LEAST_FALL = 20;
const STEEPEST_SHARE_OF_FALLS = 0.1;
/** Held notes hardly ever let a sound die away, and when they do, it is the voice. */
const FEWEST_FALLS = 0.3;
/**
 * Time read from the steepest slopes -> RT60, s. The voice itself never stops at once (dry speech reads 0.24) and the
 * next sound cuts long decays short, so the reading is compressed. From speech of eight voices in synthetic rooms.
 */
const CORRECTION: [reading: number, rt60: number][] = [
  [0.15, 0.1],
  [0.24, 0.2],
  [0.3, 0.3],
  [0.37, 0.4],
  [0.48, 0.6],
  [0.64, 0.9],
  [0.75, 1.2],
  [1.2, 2.4],
];

/**
 * Reverberation time in s, without knowing the room: a sound cannot die away faster than the room lets it, so the
 * steepest falls of the speech level show the room. Null with too little speech, or when noise hides the decays.
 */
export function measureRt60(frames: SpeechFrames): number | null {
  const bands = BANDS_HZ.map(([low, high]) =>
    decaysIn(bandLevels(frames, low, high), noiseDb(frames, low, high)),
  );
  const slopes = bands.flatMap((band) => band.slopes);
  if (slopes.length < FEWEST_SLOPES) return null;
  const falls = slopes.filter((rate) => rate < -LEAST_FALL).length / slopes.length;
  if (falls < FEWEST_FALLS) return null;
  const steepest = -percentile(slopes, Math.min(STEEPEST_SHARE, falls * STEEPEST_SHARE_OF_FALLS));
  const range = Math.max(...bands.map((band) => band.rangeDb));
  const measurable = (range * FRAMES_PER_SEC * TRUSTED_SHARE_OF_RANGE) / SLOPE_FRAMES;
  const hidden = range < FULL_RANGE_DB && steepest > measurable;
  return steepest <= 0 || hidden ? null : correct(60 / steepest);
}

/** Slopes (dB/s) wherever the band stays audible long enough, and how far its peaks stand above what hides them. */
function decaysIn(levels: Float64Array, noise: number): { slopes: number[]; rangeDb: number } {
  const peak = percentile(levels, 0.95);
  const floor = Math.max(noise + ABOVE_NOISE_DB, peak - BELOW_PEAK_DB);
  const slopes: number[] = [];
  let audible = 0;
  for (let frame = 0; frame < levels.length; frame++) {
    audible = levels[frame]! >= floor ? audible + 1 : 0;
    if (audible >= SLOPE_FRAMES) slopes.push(slope(levels, frame + 1 - SLOPE_FRAMES) * FRAMES_PER_SEC);
  }
  return { slopes, rangeDb: peak - floor };
}

function noiseDb({ noise, binHz }: SpeechFrames, lowHz: number, highHz: number): number {
  return powerDb(bandPower(noise.spectrum, 0, binHz, lowHz, highHz));
}

/** Least-squares slope over SLOPE_FRAMES levels, dB per frame. */
function slope(levels: Float64Array, from: number): number {
  const middle = (SLOPE_FRAMES - 1) / 2;
  let sum = 0;
  for (let n = 0; n < SLOPE_FRAMES; n++) sum += (n - middle) * levels[from + n]!;
  return sum / ((SLOPE_FRAMES * (SLOPE_FRAMES ** 2 - 1)) / 12);
}

function bandLevels(frames: SpeechFrames, lowHz: number, highHz: number): Float64Array {
  const levels = new Float64Array(frames.count);
  for (let frame = 0; frame < frames.count; frame++) {
    levels[frame] = powerDb(bandPower(frames.spectra, frame * frames.bins, frames.binHz, lowHz, highHz));
  }
  return levels;
}

function correct(reading: number): number {
  const upper = CORRECTION.findIndex(([x]) => x >= reading);
  if (upper <= 0) return upper === 0 ? CORRECTION[0]![1] : CORRECTION[CORRECTION.length - 1]![1];
  const [x0, y0] = CORRECTION[upper - 1]!;
  const [x1, y1] = CORRECTION[upper]!;
  return y0 + ((y1 - y0) * (reading - x0)) / (x1 - x0);
}
