/** The value below which `share` (0..1) of the values lie; NaN when there are none. */
export function percentile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) return NaN;
  const sorted = new Float64Array(values).sort();
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const lower = sorted[below]!;
  const upper = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return lower + (upper - lower) * (position - below);
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let n = 0; n < values.length; n++) sum += values[n]!;
  return values.length === 0 ? NaN : sum / values.length;
}

/** Decibels of a power ratio; silence is -200 dB. */
export function powerDb(power: number): number {
  return 10 * Math.log10(Math.max(power, 1e-20));
}

/** Mean square of samples[from..to). */
export function meanSquare(samples: Float32Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let n = from; n < to; n++) sum += samples[n]! * samples[n]!;
  return to > from ? sum / (to - from) : 0;
}
