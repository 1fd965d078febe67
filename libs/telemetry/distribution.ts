/** Bounds in seconds for what people wait for: from half a millisecond to 25 s, after which a request is ended. */
export const RESPONSE_SECS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25,
];

/**
 * Counts values between fixed bounds, as a Prometheus histogram wants them. Adding a value allocates nothing and costs a
 * few comparisons; everything else happens when it is read.
 */
export class Distribution {
  count = 0;
  sum = 0;
  /** How many values were at most each bound and above the one before; the last place is for those above all. */
  private readonly counts: Float64Array;

  /** @param bounds ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let place = 0;
    while (place < bounds.length && value > bounds[place]!) place += 1;
    counts[place]! += 1;
    this.count += 1;
    this.sum += value;
  }

  /** Adds the time since `performance.now()` was `startedAtMs`, in seconds. */
  addSince(startedAtMs: number): void {
    this.add((performance.now() - startedAtMs) / 1_000);
  }

  /** For each bound, how many values were at most that. */
  cumulative(): { bound: number; count: number }[] {
    let count = 0;
    return this.bounds.map((bound, place) => {
      count += this.counts[place]!;
      return { bound, count };
    });
  }
}
