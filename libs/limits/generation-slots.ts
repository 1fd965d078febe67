import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FailOpen } from './fail-open';
import type { LimitStore, Slot } from './limit-store';
import { LIMIT_STORE } from './limit-store.provider';

/** How long the slots of a process that was killed stay taken. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;

interface SlotVerdict {
  readonly taken: boolean;
  /** Generations of the account that run, this one included if it may. */
  readonly running: number;
}

/** Generations that an account runs at the same time, over all processes. */
@Injectable()
export class GenerationSlots implements OnApplicationShutdown {
  readonly health = new FailOpen('Concurrent generations');
  private readonly held = new Set<Slot>();
  /** Work that continues after its response was sent, by the id of the request. */
  private readonly goingOn = new Map<string, Promise<void>>();
  private readonly timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();

  constructor(@Inject(LIMIT_STORE) private readonly store: LimitStore) {}

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.store.close?.();
  }

  /**
   * Takes a slot, to be returned with `free`. Null when the store does not respond: the request passes then, and a slot that
   * is taken later is released at once.
   */
  async take(slot: Slot, limit: number): Promise<SlotVerdict | null> {
    let taking: Promise<SlotVerdict> | undefined;
    const verdict = await this.health.ask(() => (taking = this.store.takeSlot(slot, limit, LEASE_MS)));
    if (verdict?.taken) this.held.add(slot);
    if (verdict === null) {
      this.health.unchecked += 1;
      void taking
        ?.then(async ({ taken }) => taken && (await this.store.freeSlot(slot)))
        .catch(() => undefined);
    }
    return verdict;
  }

  /** Keeps the slot of a request, which is released later, until this work is done. It must not reject. */
  keepUntil(requestId: string, done: Promise<void>): void {
    this.goingOn.set(requestId, done);
    // Nothing frees the slot of a request that passed without one.
    void done.then(() => this.goingOn.delete(requestId));
  }

  /** Releases a slot, at once or when its work is done. One that cannot be released expires. */
  async free(slot: Slot): Promise<void> {
    const goingOn = this.goingOn.get(slot.id);
    this.goingOn.delete(slot.id);
    if (goingOn) return void goingOn.then(() => this.free(slot));
    if (this.held.delete(slot)) await this.health.ask(() => this.store.freeSlot(slot));
  }

  /** Running generations of an account; null when the store does not respond. */
  async count(accountId: string): Promise<number | null> {
    return this.health.ask(() => this.store.countSlots(accountId));
  }

  private async renew(): Promise<void> {
    const held = [...this.held];
    if (held.length === 0) return;
    await this.health.ask(() => this.store.renewSlots(held, LEASE_MS));
    // Given back while they were being renewed: the renewal may have come later.
    const gone = held.filter((slot) => !this.held.has(slot));
    await Promise.all(gone.map((slot) => this.health.ask(() => this.store.freeSlot(slot))));
  }
}
