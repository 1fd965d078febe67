/** Used again, because typed arrays are expensive to create. */
let copy = new Float64Array(4_096);

/** The value below which `share` (0..1) of the values lie; NaN when there are none. No value may be NaN. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const { length } = values;
  if (length === 0) return NaN;
  if (copy.length < length) copy = new Float64Array(length);
  copy.set(values);
  const position = share * (length - 1);
  const below = Math.floor(position);
  const lower = select(copy, below, length);
  let upper = below + 1 < length ? copy[below + 1]! : lower;
  for (let n = below + 2; n < length; n++) if (copy[n]! < upper) upper = copy[n]!;
  return lower + (upper - lower) * (position - below);
}

/**
 * Moves the value of a rank to its place in ascending order: none before it is larger, and none after it smaller. On average
 * in linear time (C. A. R. Hoare, "Algorithm 65: Find", CACM 1961).
 *
 * @param values changed; of those from `end` on, none
 * @param rank 0 is the smallest
 */
export function select(values: Float64Array, rank: number, end = values.length): number {
  let [left, right] = [0, end - 1];
  while (left < right) {
    const pivot = values[rank]!;
    let [low, high] = [left, right];
    while (low <= high) {
      while (values[low]! < pivot) low++;
      while (values[high]! > pivot) high--;
      if (low > high) break;
      const moved = values[low]!;
      values[low++] = values[high]!;
      values[high--] = moved;
    }
    if (high < rank) left = low;
    if (rank < low) right = high;
  }
  return values[rank]!;
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
