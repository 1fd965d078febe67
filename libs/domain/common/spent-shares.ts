interface SpendingBounds {
  readonly perOwner: number;
  readonly windowMs: number;
}

/** Counts what owners spend of something within a time, up to a bound for each. */
export class SpentShares {
  private readonly amounts = new Map<string, number>();
  private windowEndsMs = -Infinity;

  constructor(readonly bounds: SpendingBounds) {}

  /**
   * Counts an amount, and says whether it is within the bound.
   *
   * @param nowMs on a monotonic clock
   */
  spend(owner: string, amount: number, nowMs: number): boolean {
    if (nowMs >= this.windowEndsMs) {
      this.amounts.clear();
      this.windowEndsMs = nowMs + this.bounds.windowMs;
    }
    const spent = (this.amounts.get(owner) ?? 0) + amount;
    this.amounts.set(owner, spent);
    return spent <= this.bounds.perOwner;
  }
}
