import type { Stretch } from '@app/domain/reviews/recording-places';
import { peakOf, type Extremes } from '../signal/extremes';
import { percentile } from '../signal/statistics';

/** Two neighbouring 16-bit codes: samples this close to the top were cut there. */
const FLAT_TOLERANCE = 1.5 / 32768;
/** Three equal samples in a row do not happen at the top of a wave that was recorded whole. */
const FLAT_RUN = 3;
const FLAT_COUNT = 10;
const JUST_BELOW = 0.94;
/** +3 dB: what is above full scale is cut where it is played; a codec alone adds less than this to a peak. */
const FAR_ABOVE_FULL_SCALE = 10 ** (3 / 20);
/** Peaks below this share of the highest are pauses, which say nothing about the top. */
const PAUSE_SHARE = 0.03;

interface Clipping {
  /** Share of samples that were cut flat. */
  ratio: number;
  /** Where they are; those less than 20 ms apart are one stretch. */
  stretches: Stretch[];
}

/** Clipped samples this near to each other are one stretch. */
const STRETCH_GAP_SECS = 0.02;

/**
 * Samples that were cut flat. The samples at an extreme (each polarity on its own) count when three of them
 * follow each other, or when there are more of them than just below, which no natural wave does. Of floating-point
 * samples that go far above full scale, all that are above it.
 */
export function measureClipping(samples: Float32Array, sampleRate: number, extremes: Extremes): Clipping {
  const gap = sampleRate * STRETCH_GAP_SECS;
  const tops = [findAtTop(samples, extremes, 1, gap), findAtTop(samples, extremes, -1, gap)];
  const stretches = tops.flatMap(({ runs }) =>
    runs.map(({ from, to }) => ({ fromSecs: from / sampleRate, toSecs: to / sampleRate })),
  );
  const clipped = tops.reduce((sum, { count }) => sum + count, 0);
  return { ratio: samples.length === 0 ? 0 : clipped / samples.length, stretches };
}

interface AtTop {
  count: number;
  /** Samples `from` to `to`, which is the first after them. */
  runs: { from: number; to: number }[];
}

const NOTHING: AtTop = { count: 0, runs: [] };

function findAtTop(samples: Float32Array, extremes: Extremes, sign: 1 | -1, gap: number): AtTop {
  const { size, highs, lows, highest, lowest } = extremes;
  const [peaks, top] = sign === 1 ? [highs, highest] : [lows, -lowest];
  if (top < 0.01) return NOTHING;
  if (top > FAR_ABOVE_FULL_SCALE) return findAbove(samples, sign, gap);
  const threshold = top - FLAT_TOLERANCE * Math.min(1, top);
  const nearly = top * JUST_BELOW;
  const found: AtTop = { count: 0, runs: [] };
  let below = 0;
  let run = 0;
  let longest = 0;
  for (let frame = 0; frame < peaks.length; frame++) {
    if (peaks[frame]! * sign < nearly) {
      run = 0;
      continue;
    }
    const end = Math.min(samples.length, (frame + 1) * size);
    for (let n = frame * size; n < end; n++) {
      const value = samples[n]! * sign;
      if (value < threshold) {
        if (value >= nearly) below++;
        run = 0;
        continue;
      }
      run++;
      note(found, n, gap);
      if (run > longest) longest = run;
    }
  }
  return longest >= FLAT_RUN || (found.count >= FLAT_COUNT && found.count > below) ? found : NOTHING;
}

function findAbove(samples: Float32Array, sign: 1 | -1, gap: number): AtTop {
  const found: AtTop = { count: 0, runs: [] };
  for (let n = 0; n < samples.length; n++) if (samples[n]! * sign > 1) note(found, n, gap);
  return found;
}

function note(found: AtTop, n: number, gap: number): void {
  found.count++;
  const last = found.runs.at(-1);
  if (last && n - last.to < gap) last.to = n + 1;
  else found.runs.push({ from: n, to: n + 1 });
}

/**
 * Share of the loud 10 ms frames whose peaks lie within 10 % of each other at the top. Speech peaks scatter (0.05 to
 * 0.2); clipped or limited speech piles up, also after a codec has rounded the flat tops that
 * {@link measureClipping} looks for.
 */
export function measureSaturation(samples: Float32Array, extremes: Extremes): number {
  const whole = Math.floor(samples.length / extremes.size);
  const peaks = Array.from({ length: whole }, (_, frame) => peakOf(extremes, frame));
  const pause = percentile(peaks, 0.995) * PAUSE_SHARE;
  const audible = peaks.filter((peak) => peak > pause);
  const top = percentile(audible, 0.955);
  const loud = audible.filter((peak) => peak > top * 0.3);
  if (loud.length < 20) return 0;
  return loud.filter((peak) => peak > top * 0.9).length / loud.length;
}
