/** Of all slots of a worker. */
const SHARE_OF_RECEIVER = 1 / 8;
const SHARE_OF_ACCOUNT = 1 / 4;

const SHORTEST_DELAY_SECS = 5;
const LONGEST_DELAY_SECS = 300;

/** The slots that one account or one endpoint holds, and how fast it gives them back. */
class Share {
  held = 0;
  private putBack = 0;
  private holdSecs = 1;

  constructor(private readonly most: number) {}

  get isUsedUp(): boolean {
    return this.held >= this.most;
  }

  release(heldSecs: number): void {
    this.held -= 1;
    this.putBack = Math.max(0, this.putBack - 1);
    this.holdSecs = (3 * this.holdSecs + heldSecs) / 4;
  }

  /** Seconds until there may be room for one more delivery, behind those that were put back before it. */
  delaySecs(): number {
    this.putBack += 1;
    const turnSecs = (this.putBack * this.holdSecs) / this.most;
    return Math.min(LONGEST_DELAY_SECS, Math.max(SHORTEST_DELAY_SECS, turnSecs));
  }
}

/**
 * Divides the slots in which this worker delivers something to servers of others: one receiver, and all receivers of one account,
 * hold at most their share, so that slow ones cannot hold up the others.
 */
export class DeliverySlots {
  private readonly shares = new Map<string, Share>();

  constructor(private readonly count: number) {}

  /** Takes a slot; what releases it, or the seconds after which to try again. */
  take(accountId: string, receiverId: string): { release: () => void } | { delaySecs: number } {
    const shares = [
      this.share(accountId, this.count * SHARE_OF_ACCOUNT),
      this.share(receiverId, this.count * SHARE_OF_RECEIVER),
    ];
    const usedUp = shares.filter((share) => share.isUsedUp);
    const takenAt = performance.now();
    const release = () => {
      for (const share of shares) share.release((performance.now() - takenAt) / 1_000);
      this.evictIdle(accountId, receiverId);
    };
    if (usedUp.length === 0) {
      for (const share of shares) share.held += 1;
      return { release };
    }
    this.evictIdle(accountId, receiverId);
    return { delaySecs: Math.max(...usedUp.map((share) => share.delaySecs())) };
  }

  private share(id: string, most: number): Share {
    const share = this.shares.get(id) ?? new Share(most);
    this.shares.set(id, share);
    return share;
  }

  private evictIdle(...ids: string[]): void {
    for (const id of ids) if (this.shares.get(id)?.held === 0) this.shares.delete(id);
  }
}
