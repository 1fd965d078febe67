import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { LimitStore, Slot } from './limit-store';
import { LIMIT_STORE } from './limit-store.provider';
import { SlotReleases } from './slot-releases';
import { StoreCalls } from './store-calls';

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
  readonly calls = new StoreCalls('Concurrent generations');
  /** Generations that were refused, since the process began. */
  refused = 0;
  /** Slots that are taken here, or being taken, by account. */
  private readonly held = new Map<string, Set<Slot>>();
  /** Those of them that the store has not replied to: renewed now, they would be there before they are taken, and count twice. */
  private readonly beingTaken = new Set<Slot>();
  private readonly releases: SlotReleases;
  /** Work that continues after its response was sent, by the id of the request. */
  private readonly goingOn = new Map<string, Promise<void>>();
  private readonly timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();

  constructor(@Inject(LIMIT_STORE) private readonly store: LimitStore) {
    this.releases = new SlotReleases(store, this.calls, LEASE_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.store.close?.();
  }

  /**
   * Takes a slot, to be returned with `free`. No process runs more of an account than its limit, regardless of what the store replies;
   * while the store is down, that alone is the limit.
   *
   * @returns `late` when the store does not reply in time, or counts slots that it has not released in time: nothing is taken then
   */
  async take(slot: Slot, limit: number): Promise<SlotVerdict | 'late'> {
    const running = this.held.get(slot.accountId)?.size ?? 0;
    if (running >= limit) return this.refuse(running);
    const late = this.releases.countLate(slot.accountId);
    this.hold(slot);
    this.beingTaken.add(slot);
    let taking: Promise<SlotVerdict> | undefined;
    const reply = await this.calls.ask(() => (taking = this.store.takeSlot(slot, limit, LEASE_MS)));
    this.beingTaken.delete(slot);
    if (reply === 'down') return this.passUnchecked(slot);
    if (reply === 'late') return this.fail(slot, taking);
    if (reply.value.taken) return reply.value;
    // The store may have counted slots that are not in use any more: the account may have room.
    if (reply.value.running - late < limit) return this.fail(slot);
    this.drop(slot);
    return this.refuse(reply.value.running);
  }

  /** Keeps the slot of a request, which is released later, until this work is done. It must not reject. */
  keepUntil(requestId: string, done: Promise<void>): void {
    this.goingOn.set(requestId, done);
    void done.then(() => this.goingOn.delete(requestId));
  }

  /** Releases a slot, at once or when its work is done. A release that fails is repeated until the slot's lease is over. */
  async free(slot: Slot): Promise<void> {
    const goingOn = this.goingOn.get(slot.id);
    this.goingOn.delete(slot.id);
    if (goingOn) return void goingOn.then(() => this.free(slot));
    if (this.drop(slot)) await this.releases.release([slot]);
  }

  /** Running generations of an account; null when the store does not reply. */
  async count(accountId: string): Promise<number | null> {
    const reply = await this.calls.ask(() => this.store.countSlots(accountId));
    return typeof reply === 'string' ? null : reply.value;
  }

  private hold(slot: Slot): void {
    const slots = this.held.get(slot.accountId) ?? new Set();
    this.held.set(slot.accountId, slots.add(slot));
  }

  private drop(slot: Slot): boolean {
    const slots = this.held.get(slot.accountId);
    const wasHeld = slots?.delete(slot) ?? false;
    if (slots?.size === 0) this.held.delete(slot.accountId);
    return wasHeld;
  }

  private refuse(running: number): SlotVerdict {
    this.refused += 1;
    return { taken: false, running };
  }

  /** The slot stays held: the store learns of it when it is renewed. */
  private passUnchecked({ accountId }: Slot): SlotVerdict {
    this.calls.unchecked += 1;
    return { taken: true, running: this.held.get(accountId)?.size ?? 1 };
  }

  /** @param taking a call that may still take the slot */
  private fail(slot: Slot, taking?: Promise<SlotVerdict>): 'late' {
    this.calls.late += 1;
    this.drop(slot);
    if (taking) void this.releases.releaseAfter(taking, slot);
    return 'late';
  }

  private async renew(): Promise<void> {
    const held = [...this.held.values()]
      .flatMap((slots) => [...slots])
      .filter((slot) => !this.beingTaken.has(slot));
    if (held.length === 0) return;
    await this.calls.ask(() => this.store.renewSlots(held, LEASE_MS));
    // Released while they were being renewed: the renewal may have come later.
    const gone = held.filter((slot) => !this.held.get(slot.accountId)?.has(slot));
    if (gone.length > 0) await this.releases.release(gone);
  }
}
