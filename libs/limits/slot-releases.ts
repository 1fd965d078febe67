import { setTimeout as pause } from 'node:timers/promises';
import type { LimitStore, Slot } from './limit-store';
import type { StoreCalls } from './store-calls';

const RETRY_MS = 250;

/** Releases slots, again and again while the store is late or down, until their leases are over. */
export class SlotReleases {
  /** Slots whose release failed, and when each need not be released any more, on the monotonic clock. */
  private readonly pending = new Map<Slot, number>();
  /** Slots that the store may still take, or has taken, although their requests were refused. */
  private readonly abandoned = new Set<Slot>();
  private retrying = false;

  constructor(
    private readonly store: LimitStore,
    private readonly calls: StoreCalls,
    private readonly leaseMs: number,
  ) {}

  /** Slots of an owner that are not in use any more, and that the store may still count. */
  countLate(ownerId: string): number {
    let count = 0;
    for (const slots of [this.pending.keys(), this.abandoned])
      for (const slot of slots) if (slot.ownerId === ownerId) count += 1;
    return count;
  }

  /** Returns after the first attempt. */
  async release(slots: Slot[]): Promise<void> {
    // A renewal that is on its way may come after it, and lasts for another lease.
    const untilMs = performance.now() + 2 * this.leaseMs;
    if (await this.attempt(slots)) return;
    for (const slot of slots) this.pending.set(slot, untilMs);
    if (!this.retrying) void this.retry();
  }

  /** Releases a slot whose request was refused, when the call that may still take it has ended. */
  async releaseAfter(taking: Promise<unknown>, slot: Slot): Promise<void> {
    this.abandoned.add(slot);
    await taking.catch(() => undefined);
    await this.release([slot]);
    this.abandoned.delete(slot);
  }

  private async retry(): Promise<void> {
    this.retrying = true;
    while (this.pending.size > 0) {
      await pause(RETRY_MS, undefined, { ref: false });
      const nowMs = performance.now();
      for (const [slot, untilMs] of this.pending) if (untilMs < nowMs) this.pending.delete(slot);
      await this.attempt([...this.pending.keys()]);
    }
    this.retrying = false;
  }

  private async attempt(slots: Slot[]): Promise<boolean> {
    const reply = await this.calls.ask(() => this.store.freeSlots(slots));
    if (typeof reply === 'string') return false;
    for (const slot of slots) this.pending.delete(slot);
    return true;
  }
}
