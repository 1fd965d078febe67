/** The highest and the lowest sample of each frame, so that measures of peaks look only at the frames that have one. */
export interface Extremes {
  /** Samples of a frame; the last one may be shorter. */
  size: number;
  highs: Float32Array;
  lows: Float32Array;
  /** Of the whole; 0 where all samples are on the other side of it. */
  highest: number;
  lowest: number;
}

const FRAME_SECS = 0.01;

/** Of frames of 10 ms. */
export function findExtremes(samples: Float32Array, sampleRate: number): Extremes {
  const size = Math.round(sampleRate * FRAME_SECS);
  const count = Math.ceil(samples.length / size);
  const extremes = {
    size,
    highs: new Float32Array(count),
    lows: new Float32Array(count),
    highest: 0,
    lowest: 0,
  };
  for (let frame = 0; frame < count; frame++) {
    const end = Math.min(samples.length, (frame + 1) * size);
    let high = samples[frame * size]!;
    let low = high;
    for (let n = frame * size + 1; n < end; n++) {
      const sample = samples[n]!;
      if (sample > high) high = sample;
      else if (sample < low) low = sample;
    }
    extremes.highs[frame] = high;
    extremes.lows[frame] = low;
    extremes.highest = Math.max(extremes.highest, high);
    extremes.lowest = Math.min(extremes.lowest, low);
  }
  return extremes;
}

/** The largest sample of a frame, of either sign. */
export function peakOf({ highs, lows }: Extremes, frame: number): number {
  return Math.max(highs[frame]!, -lows[frame]!);
}
