interface ShareBounds {
  readonly perOwner: number;
  readonly inAll: number;
}

/** Whose bound does not allow more. */
type FullShare = 'owner' | 'all';

/** Counts what owners hold of something that they share, up to a bound for each and one for all of them. */
export class HeldShares {
  private readonly amounts = new Map<string, number>();
  private total = 0;

  constructor(readonly bounds: ShareBounds) {}

  /**
   * Takes an amount, to be returned with `release`; or says whose bound is reached. Where nothing else is held, any amount is
   * accepted.
   *
   * @param own what the one that asks holds already
   */
  take(owner: string, amount: number, own = 0): FullShare | null {
    const held = this.heldBy(owner);
    if (held > own && held + amount > this.bounds.perOwner) return 'owner';
    if (this.total > own && this.total + amount > this.bounds.inAll) return 'all';
    this.amounts.set(owner, held + amount);
    this.total += amount;
    return null;
  }

  release(owner: string, amount: number): void {
    const left = this.heldBy(owner) - amount;
    if (left > 0) this.amounts.set(owner, left);
    else this.amounts.delete(owner);
    this.total -= amount;
  }

  heldBy(owner: string): number {
    return this.amounts.get(owner) ?? 0;
  }
}
